# Completion of rhc for fish. The program itself says what may follow, so this never goes stale.
function __rhc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    set -l also :nothing
    for line in ($program complete $words "$current" 2>/dev/null)
        if string match -q ':*' -- $line
            set also $line
        else
            echo $line
        end
    end
    # The value of an option that is written --option=value.
    set -l before (string match -r '^--[^=]*=' -- $current)
    set -l part (string replace -r '^--[^=]*=' '' -- $current)
    switch $also
        case :files
            for path in (__fish_complete_path $part)
                echo "$before$path"
            end
        case :directories
            for path in (__fish_complete_directories $part '')
                echo "$before$path"
            end
    end
end
complete -c rhc -f -a '(__rhc_complete)'
