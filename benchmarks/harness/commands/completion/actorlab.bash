# SPDX-License-Identifier: MIT
# Completes command lines of actorlab in bash.

_actorlab() {
    local line=${COMP_LINE:0:COMP_POINT} word candidate
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    word=${words[-1]}
    COMPREPLY=()
    while IFS= read -r candidate; do
        [[ $candidate == *= ]] && compopt -o nospace
        # What stands before an equals sign is a word of its own here.
        [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && candidate=${candidate#"${word%=*}="}
        COMPREPLY+=("$candidate")
    done < <("${words[0]}" completion -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _actorlab actorlab
