import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_FILE, tokenFile } from '../../../../agent/adapters/token-file.ts';
import { AgentFault } from '../../../../agent/ports/machine/agent-fault.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the file of the token', () => {
  it('need not be there', async () => {
    expect(await tokenFile(folder).load()).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['cut off', '{"token":"t","nodeName":"m1","nodeU'],
    ['no text', '\0\0\0\0'],
    ['a list', '[]'],
    ['without most fields', '{"token":"t"}'],
  ])('says what to do if it is %s', async (_, text) => {
    writeFileSync(join(folder, TOKEN_FILE), text);
    await expect(tokenFile(folder).load()).rejects.toThrow(/is damaged: remove it, .*--release NODE/);
    await expect(tokenFile(folder).load()).rejects.toThrow(AgentFault);
  });
});
