/** Limits the size of YAML bodies: parsing YAML takes a hundred times as long as parsing JSON. */
import { requestEntityTooLarge } from '../../kube/errors/status-error.ts';

/** Most bytes of a YAML body. */
const MAX_YAML_BYTES = 262_144;

/**
 * Most marks of a YAML body: line ends, commas, colons and opening brackets. The parser's time and memory are
 * proportional to them, about 20 µs each.
 */
const MAX_YAML_MARKS = 4_000;

const codesOf = (characters: string): readonly number[] =>
  Array.from(characters, (character) => character.charCodeAt(0));

const MARKS: ReadonlySet<number> = new Set(codesOf('\n\r,:[{'));
/** Characters that are marks only before a blank. */
const INDICATORS: ReadonlySet<number> = new Set(codesOf('-?'));
const BLANKS: ReadonlySet<number> = new Set(codesOf(' \t\r\n'));

const marksIn = (body: Uint8Array): number => {
  let marks = 0;
  for (const [at, code] of body.entries())
    if (MARKS.has(code) || (INDICATORS.has(code) && BLANKS.has(body[at + 1] ?? 0))) marks += 1;
  return marks;
};

/** Throws 413 for a body that would take too long to parse as YAML. */
export const checkYamlSize = (body: Uint8Array): void => {
  if (body.byteLength > MAX_YAML_BYTES)
    throw requestEntityTooLarge(`Request entity too large: limit is ${MAX_YAML_BYTES}`);
  if (marksIn(body) > MAX_YAML_MARKS)
    throw requestEntityTooLarge(
      `Request entity too large: YAML may have ${MAX_YAML_MARKS} line ends, commas, colons and openings; send JSON instead`,
    );
};
