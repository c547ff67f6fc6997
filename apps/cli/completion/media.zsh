#compdef media
# Completion of media for zsh. Put this into ~/.zshrc, after compinit: eval "$(media completion zsh)"
# Or save it as a file named _media in a folder of $fpath.
_media() {
  local candidate about
  local -a before whole begun whole_about begun_about
  (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
  while IFS=$'\t' read -r candidate about; do
    if [[ $candidate == *[:=\<\>~] ]]; then
      begun+=("$candidate") begun_about+=("$candidate  $about")
    else
      whole+=("$candidate") whole_about+=("$candidate  $about")
    fi
  done < <("${words[1]}" __complete -- "${(@)before}" "${(Q)PREFIX}" 2>/dev/null)
  # -U: except for quotes, the candidates already start with the typed text. Those that need a value get no space.
  (( $#begun )) && compadd -U -l -S '' -d begun_about -a begun
  (( $#whole )) && compadd -U -l -d whole_about -a whole
}
if [[ $funcstack[1] == _media ]]; then _media "$@"; else compdef _media media; fi
