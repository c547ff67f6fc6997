# syntax=docker/dockerfile:1

# The service and the bot, each as an image of its own:
#   docker build --target service .
#   docker build --target bot .

# What is built is the same for every processor, SQLite's binaries included: it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM node:24.21-bookworm-slim AS build
# It is installed in one step and used in others, where the store is not at hand.
ENV PNPM_CONFIG_STORE_DIR=/store PNPM_CONFIG_VERIFY_DEPS_BEFORE_RUN=false TURBO_TELEMETRY_DISABLED=1
RUN npm install --global pnpm@12
WORKDIR /src
COPY . .
# Without install scripts: nothing that is needed here has one, and the image has no compiler.
RUN --mount=type=cache,target=/store pnpm install --frozen-lockfile --ignore-scripts
RUN pnpm exec turbo run build --filter=@media-ops/service --filter=@media-ops/bot --output-logs=errors-only
# better-sqlite3 12 is for Node 20 alone.
RUN --mount=type=cache,target=/store \
  for app in service bot; do \
    pnpm --filter "@media-ops/$app" deploy --prod --ignore-scripts "/out/$app" \
    && rm -rf "/out/$app"/node_modules/.pnpm/better-sqlite3@12.*; \
  done \
  && mkdir /out/data

# The image for one of them: no package manager's store, no sources, no right to write but to /data.
FROM node:24.21-bookworm-slim AS app
LABEL org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
# The user "node", as a number, which is how Kubernetes knows that it is not root.
COPY --from=build --chown=1000:1000 /out/data /data
COPY LICENSE ./
USER 1000:1000
VOLUME /data
STOPSIGNAL SIGTERM
# Garbage is collected in as many threads as there are cores but one, instead of four.
ENTRYPOINT ["node", "--v8-pool-size=0", "dist/main.js"]

FROM app AS service
LABEL org.opencontainers.image.title="Media Ops service" \
  org.opencontainers.image.description="Takes in what the media server sends, keeps it, lists it, and mints access tokens."
COPY --from=build /out/service/package.json ./
COPY --from=build /out/service/node_modules ./node_modules
COPY --from=build /out/service/dist ./dist
# Who may reach these ports is decided outside of the container; 8081 is for the inside alone.
ENV MEDIA_HOST=0.0.0.0 \
  MEDIA_INTAKE_HOST=0.0.0.0 \
  MEDIA_DATABASE_URL=sqlite:/data/media.db
EXPOSE 8080 8081
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=1s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MEDIA_INTAKE_PORT || 8081}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["serve"]

FROM app AS bot
LABEL org.opencontainers.image.title="Media Ops bot" \
  org.opencontainers.image.description="The Slack bot: logs and access tokens of a real-time media service, behind /media."
COPY --from=build /out/bot/package.json ./
COPY --from=build /out/bot/node_modules ./node_modules
COPY --from=build /out/bot/dist ./dist
ENV BOT_HOST=0.0.0.0 \
  BOT_DATABASE_URL=sqlite:/data/bot.db
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=1s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BOT_PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
