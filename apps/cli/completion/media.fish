# Completion of media for fish. Put this into ~/.config/fish/config.fish: media completion fish | source
function __media_candidates
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    command $words[1] __complete -- $words[2..] (commandline --current-token --cut-at-cursor) 2>/dev/null
end
complete --command media --no-files --arguments '(__media_candidates)'
