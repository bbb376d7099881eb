/** The completion of zsh. */
import type { Kind, Lookup } from '../options/option-table.ts';
import type { CommandShape, OptionShape, Place } from '../shell/shape.ts';

/** Within single quotes, and in the brackets and between the colons of `_arguments`. */
const plain = (text: string): string =>
  text.replaceAll("'", '’').replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`);

const LOOKUPS: Partial<Record<Lookup, string>> = { files: '_files', folders: '_files -/', anything: ' ' };

/** An action that begins with a blank gets no further arguments. */
const actionOf = (kind: Kind): string =>
  typeof kind === 'string' ? (LOOKUPS[kind] ?? ` _rollcall_names ${kind}`) : `(${kind.join(' ')})`;

const optionText = ({ name, short, description, value }: OptionShape): readonly string[] => {
  const end = value === undefined ? '' : `:${name}:${actionOf(value)}`;
  const flags = [`--${name}${value === undefined ? '' : '='}`, ...(short === undefined ? [] : [`-${short}`])];
  return flags.map((flag) => `'*${flag}[${plain(description)}]${end}'`);
};

/** One action at a place: a function where there are several. */
const placeText = ({ words, lookups }: Place, index: number): string => {
  const kinds: readonly Kind[] = [...(words.length === 0 ? [] : [words]), ...lookups];
  if (kinds.length < 2) return `'${index + 1}: :${actionOf(kinds[0] ?? 'anything')}'`;
  const alternatives = kinds.map((kind) => `"x: :${actionOf(kind)}"`);
  return `'${index + 1}: : _alternative ${alternatives.join(' ')}'`;
};

const rowOf = ({ name, options, places }: CommandShape): string =>
  [
    `    (${name})`,
    '      _arguments \\',
    [...options.flatMap(optionText), ...places.map(placeText)].map((text) => `        ${text}`).join(' \\\n'),
    '      ;;',
  ].join('\n');

/** The script that `zsh` reads, as a file of its `fpath` or by `source`. */
export const zshCompletion = (commands: readonly CommandShape[]): string =>
  [
    '#compdef rollcall',
    '# Completion of rollcall for zsh, printed by: rollcall completion zsh',
    '_rollcall_names() {',
    '  local -a names',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: zsh reads it.
    '  names=(${(f)"$($_rollcall_program __complete $1 $_rollcall_words 2>/dev/null)"})',
    '  compadd -a names',
    '}',
    '',
    '_rollcall() {',
    '  local _rollcall_program=$words[1]',
    '  local -a commands _rollcall_words',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    '${name}:${plain(summary)}'`),
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  _rollcall_words=($words[2,CURRENT-1])',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...commands.map(rowOf),
    '  esac',
    '}',
    '',
    'if [ "$funcstack[1]" = _rollcall ]; then _rollcall; else compdef _rollcall rollcall; fi',
  ].join('\n');
