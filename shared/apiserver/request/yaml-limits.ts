/** How much YAML a body may hold: its parser takes a hundred times as long as JSON's. */
import { requestEntityTooLarge } from '../../api/status-error.ts';

/** Bytes. */
const MAX_YAML_BYTES = 262_144;

/** Line ends, commas, colons and openings: what the parser's time and memory go by. Some 20 µs each. */
const MAX_YAML_MARKS = 4_000;

const codesOf = (characters: string): readonly number[] =>
  Array.from(characters, (character) => character.charCodeAt(0));

const MARKS: ReadonlySet<number> = new Set(codesOf('\n\r,:[{'));
/** Marks where a blank follows. */
const INDICATORS: ReadonlySet<number> = new Set(codesOf('-?'));
const BLANKS: ReadonlySet<number> = new Set(codesOf(' \t\r\n'));

const marksIn = (body: Uint8Array): number => {
  let marks = 0;
  for (const [at, code] of body.entries())
    if (MARKS.has(code) || (INDICATORS.has(code) && BLANKS.has(body[at + 1] ?? 0))) marks += 1;
  return marks;
};

/** Throws 413 for a body that takes too long to read as YAML. */
export const checkYamlSize = (body: Uint8Array): void => {
  if (body.byteLength > MAX_YAML_BYTES)
    throw requestEntityTooLarge(`Request entity too large: limit is ${MAX_YAML_BYTES}`);
  if (marksIn(body) > MAX_YAML_MARKS)
    throw requestEntityTooLarge(
      `Request entity too large: YAML may have ${MAX_YAML_MARKS} line ends, commas, colons and openings; send JSON instead`,
    );
};
