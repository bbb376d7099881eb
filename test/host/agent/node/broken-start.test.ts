/** An agent that cannot start says why and what to do, in one line, without a stack. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeGroupsAndMounts, startAgent } from '../../../support/agent/machines/agent-process.ts';

/** The agent does not come as far as its first request. */
const NOWHERE = ['agent', 'run', '--server', 'https://127.0.0.1:1'];

describe('an agent that cannot start', { timeout: 60_000 }, () => {
  let folder: string;
  const roots: string[] = [];
  const started = async (root: string) => {
    const agent = startAgent([...NOWHERE, '--root-dir', root, '--hostname-override', 'm1']);
    return { code: await agent.ended, lines: agent.output().trim().split('\n') };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-start-'));
  });

  afterAll(async () => {
    for (const root of roots) await removeGroupsAndMounts(root);
    rmSync(folder, { recursive: true });
  });

  it('says that the file of its token is damaged, and does not try again', async () => {
    const root = join(folder, 'damaged');
    roots.push(root);
    mkdirSync(root);
    writeFileSync(join(root, 'token.json'), '{"token":"t","nodeName":"m1","nodeU');
    const { code, lines } = await started(root);
    expect(code).toBe(3);
    expect(lines.at(-1)).toMatch(
      /token\.json is damaged: remove it, have an administrator run "rollcall token/,
    );
  });

  describe.runIf(process.getuid?.() === 0)('with a disk of its own', () => {
    const disk = (name: string, options: string): string => {
      const root = join(folder, name);
      mkdirSync(root);
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', root]);
      return root;
    };

    it.each([
      ['full', 'size=16k', /cannot write to the folder \S+: ENOSPC.*Make room/],
      ['read-only', 'ro', /cannot write to the folder \S+: EROFS.*make it writable/],
    ])('says that it is %s, and may be started again', async (name, options, message) => {
      const root = disk(name, options);
      try {
        const { code, lines } = await started(root);
        expect([code, lines.length]).toEqual([1, 1]);
        expect(lines[0]).toMatch(message);
      } finally {
        execFileSync('umount', [root]);
      }
    });
  });
});
