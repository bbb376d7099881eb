import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from './comparison.ts';

const FOLDER = join(import.meta.dirname, '..', 'conformance', 'controllers');

/** Of a scenario. */
export const readRecording = (name: string): Recording =>
  JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Recording;
