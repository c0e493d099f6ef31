# SPDX-License-Identifier: MIT
# Completes command lines of actorlab in fish.

function __actorlab_words
    set -l words (commandline -opc) # those before the one that is being typed
    $words[1] completion -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c actorlab -a '(__actorlab_words)'
