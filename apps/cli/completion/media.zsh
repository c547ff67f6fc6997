#compdef media
# Completion of media for zsh. Put this into ~/.zshrc, after compinit: eval "$(media completion zsh)"
_media() {
  local candidate about
  local -a whole begun whole_about begun_about
  while IFS=$'\t' read -r candidate about; do
    if [[ $candidate == *[:=\<\>~] ]]; then
      begun+=("$candidate") begun_about+=("$candidate  $about")
    else
      whole+=("$candidate") whole_about+=("$candidate  $about")
    fi
  done < <("${words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  # What ends so goes on with a value, without a space.
  (( $#begun )) && compadd -l -S '' -d begun_about -a begun
  (( $#whole )) && compadd -l -d whole_about -a whole
}
compdef _media media
