import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleDashboard } from '../../../bundling/dashboard.ts';

/** Of all files together, as gzip makes them. */
const MOST_BYTES = 120_000;

describe('the files of the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-page-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('take at most 120 KB, ask nobody else for anything, and have no inline code', async () => {
    await bundleDashboard(folder);
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
    process.stdout.write(`page: ${(bytes / 1000).toFixed(1)} KB gzip\n`);
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(page).not.toMatch(/https?:|style=|<script(?! type="module" src="main.js">)/);
    expect(readFileSync(join(folder, 'style.css'), 'utf8')).not.toMatch(/https?:|@import/);
  });
});
