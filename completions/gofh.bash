# Completion of gofh(1) for bash.
# shellcheck shell=bash

_gofh() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options files
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "init check run status show log best posterior report serve compare export rerun forget reread ask tell import demo \
            bench help --help --version" -- "$word")
        return
    fi
    case $command in
        init) options='--parameters --outputs --goal --command --budget --from --yes --no-check' ;;
        check) options='--no-run --json' ;;
        run) options='--budget --seed --all --for --wall-clock --serve --quiet --json --json-lines' ;;
        export | import | rerun | show | log) options='--json' ;;
        forget) options='--undo --json' ;;
        reread) options='--forget --corrected --json' ;;
        help)
            mapfile -t COMPREPLY < <(compgen -W "init check run status show log best posterior report serve compare export rerun forget reread ask tell import \
                demo bench" -- "$word")
            return
            ;;
        status) options='--log --json' ;;
        best) options='--recommend --json' ;;
        posterior) options='--samples --json' ;;
        report) options='--output --figures --json' ;;
        serve) options='--port --host' ;;
        compare) options='--output --json' ;;
        ask) options='-n --all --for --json' ;;
        tell) options='--results --failed --variance --replace --anyway --json' ;;
        demo) options='--seed' ;;
        bench) options='--problem --method --csv --reps --first-rep --evals --gradients --start --own-design --seed --threads --draws --at-once --no-recommend
            --quiet --recommended --figure1 --out --json' ;;
        *) return ;;
    esac
    case $before in
        -n | --samples | --failed | --wall-clock | --port | --host | --seed | --reps | --first-rep | --evals | --gradients | --threads | --problem | --method | --budget | --parameters | \
            --outputs | --goal | --command) return ;;
        --draws)
            mapfile -t COMPREPLY < <(compgen -W 'one many' -- "$word")
            return
            ;;
        --output | --figures | --results | --csv | --out | --from) files='*' ;;
        *)
            if [[ $word == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word")
                return
            fi
            files='*.@(yaml|yml|json)'
            [ "$command" != bench ] || files='*.csv'
            [ "$command" != import ] || [ "$COMP_CWORD" = 2 ] || files='*.csv'
            ;;
    esac
    if [ "$command" = bench ] && [ "$COMP_CWORD" = 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W 'list run table plot profile stop coverage batch' -- "$word")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(
        shopt -s extglob
        compgen -d -- "$word" || :
        compgen -f -X "!$files" -- "$word" | while read -r file; do [ -d "$file" ] || echo "$file"; done
    )
}

complete -F _gofh gofh
