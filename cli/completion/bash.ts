/** The completion of bash. */
import type { Kind } from '../options/option-table.ts';
import type { CommandShape, Place } from '../shell/shape.ts';

/** A list of words, or a lookup with `@` before it. */
const kindText = (kind: Kind): string => (typeof kind === 'string' ? `@${kind}` : kind.join(' '));

const placeText = ({ words, lookups }: Place): string =>
  [...words, ...lookups.map((lookup) => `@${lookup}`)].join(' ');

const rowsOf = ({ name, options, places }: CommandShape): readonly string[] => {
  const flags = options.flatMap((one) => [`--${one.name}`, ...(one.short ? [`-${one.short}`] : [])]);
  const values = options.flatMap(({ name: option, short, value }) => {
    const patterns = [`'${name} --${option}'`, ...(short ? [`'${name} -${short}'`] : [])];
    return value === undefined ? [] : [`    ${patterns.join(' | ')}) kinds='${kindText(value)}' ;;`];
  });
  return [
    `    '${name} options') kinds='${flags.join(' ')}' ;;`,
    ...places.map((place, index) => `    '${name} ${index}') kinds='${placeText(place)}' ;;`),
    ...values,
  ];
};

/** The words that no row of the table has are no option with a value. */
const ENGINE = `_rollcall() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} kinds='' kind='' prev='' place=0 index word
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    _rollcall_offer "$_rollcall_commands"
    return
  fi
  # Bash parts --option=value at the sign.
  if [ "$cur" = '=' ]; then cur=''; fi
  for ((index = 2; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [ "$word" = '=' ]; then continue; fi
    if [ -n "$prev" ] && _rollcall_kinds "$command $prev"; then prev=''; continue; fi
    case $word in
      -*) prev=$word ;;
      *) prev=''; place=$((place + 1)) ;;
    esac
  done
  word=\${COMP_WORDS[COMP_CWORD - 1]}
  if [ "$word" = '=' ] && [ "$COMP_CWORD" -gt 2 ]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ -n "$prev" ] && _rollcall_kinds "$command $prev"; then _rollcall_offer "$kinds"; return; fi
  case $cur in
    -*) _rollcall_kinds "$command options" ;;
    *) _rollcall_kinds "$command $place" || { _rollcall_kinds "$command options" && [ -z "$cur" ]; } || kinds='' ;;
  esac
  _rollcall_offer "$kinds"
}

_rollcall_offer() {
  for kind in $1; do
    case $kind in
      @files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")) ;;
      @folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$cur")) ;;
      @anything) ;;
      # Not by compgen -W, which would expand what it is given.
      @*)
        while IFS= read -r word; do
          case $word in "$cur"*) COMPREPLY+=("$word") ;; esac
        done < <("\${COMP_WORDS[0]}" __complete "\${kind#@}" "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
        ;;
      *) COMPREPLY+=($(compgen -W "$kind" -- "$cur")) ;;
    esac
  done
}

complete -F _rollcall rollcall`;

/** The script that `bash` reads. */
export const bashCompletion = (commands: readonly CommandShape[]): string =>
  [
    '# Completion of rollcall for bash, printed by: rollcall completion bash',
    `_rollcall_commands='${commands.map(({ name }) => name).join(' ')}'`,
    '',
    '_rollcall_kinds() {',
    "  kinds=''",
    '  case $1 in',
    ...commands.flatMap(rowsOf),
    '    *) return 1 ;;',
    '  esac',
    '}',
    '',
    ENGINE,
  ].join('\n');
