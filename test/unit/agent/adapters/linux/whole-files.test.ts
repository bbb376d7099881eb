import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPod } from '../../../../../agent/adapters/containers/pod-record.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it.each(['', '{"spec":{"po', '\0\0\0\0', undefined])('J-169: a record that is %j is none', (text) => {
  if (text !== undefined) writeFileSync(join(folder, 'pod.json'), text);
  expect(readPod(folder)).toBeUndefined();
});
