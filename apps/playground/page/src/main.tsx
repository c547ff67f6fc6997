import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./window.js";
import "./styles/base.css";
import "./styles/frame.css";
import "./styles/sidebar.css";
import "./styles/conversation.css";
import "./styles/box.css";
import "./styles/blocks.css";
import "./styles/table.css";
import "./styles/controls.css";
import "./styles/dialog.css";
import "./styles/panel.css";
import "./styles/thread.css";

const root = document.getElementById("page");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
