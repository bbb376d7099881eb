/** Finds spellings in the syntax trees of files. */
import { readFileSync } from 'node:fs';
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';

/** A part of a text, by its offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Reports each place in a file with this text at which something is written in a certain way. */
export type Spelling = (text: string, found: (place: Place) => void) => VisitorObject;

const treeOf = (path: string, text: string) => parseSync(path, text, { preserveParens: false }).program;

const lineOf = (text: string, { start }: Place): number => text.slice(0, start).split('\n').length;

/** The places of the spelling in the text, as `path:line`. */
export const placesIn = (path: string, text: string, spelling: Spelling): readonly string[] => {
  const places: Place[] = [];
  new Visitor(spelling(text, (place) => places.push(place))).visit(treeOf(path, text));
  return places.map((place) => `${path}:${lineOf(text, place)}`);
};

/** The places of the spelling in the files whose text matches `hint`: the others are not parsed, which takes most of the time. */
export const placesInFiles = (
  paths: readonly string[],
  hint: RegExp,
  spelling: Spelling,
): readonly string[] =>
  paths.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return hint.test(text) ? placesIn(path, text, spelling) : [];
  });
