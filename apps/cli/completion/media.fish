# Completion of media for fish. Put this into ~/.config/fish/config.fish: media completion fish | source
function __media_candidates
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    # Remove an open quote, which belongs to the shell.
    set --local last (commandline --current-token --cut-at-cursor | string replace --regex '^[\'"]' '')
    command $words[1] __complete -- $words[2..] "$last" 2>/dev/null
end
complete --command media --no-files --arguments '(__media_candidates)'
