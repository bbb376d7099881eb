/** `rollcall doctor --smoke` on a real host with short times. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../../cli/doctor/facts/verdict.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';

const TIMES = ['--node-monitor-period', '1s', '--node-monitor-grace-period', '12s'];
const WITHIN_MS = 30_000;
const root = mkdtempSync(join(tmpdir(), 'rollcall-smoke-'));
const folder = join(root, 'host');
const SMOKE = ['--smoke', '--only', 'smoke'];
const ARGS = ['doctor', '--folder', folder, ...SMOKE];
const BY_KUBECONFIG = ['doctor', '--kubeconfig', join(folder, 'kubeconfig'), ...SMOKE];
let host: HostProcess;

beforeAll(async () => {
  host = await startHostProcess(folder, ...TIMES);
});

afterAll(async () => {
  await host.stop();
  rmSync(root, { recursive: true, force: true });
});

const smokeNodes = async (): Promise<readonly string[]> =>
  (await host.nodes())
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('rollcall-smoke'));

const readyOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

/** A node that has beaten once, in a zone of its own. */
const addSilentNode = async (name: string): Promise<void> => {
  const metadata = { name, labels: { 'topology.kubernetes.io/zone': 'down' } };
  await host.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  await host.send('POST', `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`, {});
};

const nodeOf = (name: string): Promise<Node> => host.get<Node>(`/api/v1/nodes/${name}`);

describe('rollcall doctor --smoke', () => {
  it('passes on a cluster without other nodes, and leaves nothing', async () => {
    const { code, output } = await rollcall(...ARGS);
    expect(output.replaceAll(/\d+\.\d s/g, 'N s').replaceAll(/smoke-\w{8}/g, 'smoke-X')).toBe(
      [
        '✓ ok    smoke        rollcall-smoke-X is registered, N s',
        '✓ ok    smoke        Ready by a beat, N s',
        '✓ ok    smoke        silent, with a grace period of 12 s: Unknown, N s',
        '✓ ok    smoke        tainted node.kubernetes.io/unreachable:NoExecute, N s',
        '✓ ok    smoke        Ready by a beat again, and not tainted, N s',
        '✓ ok    smoke        rollcall-smoke-X is deleted, N s',
        '',
        'All is well.',
        '',
      ].join('\n'),
    );
    expect([code, await smokeNodes()]).toEqual([0, []]);
  });

  it('is not begun where no host answers', async () => {
    const { code, output } = await rollcall('doctor', '--folder', join(root, 'none'), ...SMOKE);
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/FAIL +smoke +it was not begun: no API answers/),
    ]);
  });

  it('deletes its node at the first Ctrl-C', async () => {
    const child = spawn(process.execPath, [resolve('cli/rollcall.js'), ...ARGS], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await eventually(
      'the node is ready',
      WITHIN_MS,
      async () => output.includes('Ready by a beat') || undefined,
    );
    child.kill('SIGINT');
    expect((await closed)[0]).toBe(130);
    expect(output).toMatch(/FAIL +smoke +stopped before its end/);
    expect(output).toMatch(/ok +smoke +rollcall-smoke-\w+ is deleted/);
    expect(await smokeNodes()).toEqual([]);
  });

  it('expects no taint while all zones are down, ends that not by its own node, and names a leftover', async () => {
    await addSilentNode('down-1');
    await eventually(
      'the node is Unknown',
      WITHIN_MS,
      async () => readyOf(await nodeOf('down-1')) === 'Unknown' || undefined,
    );
    const metadata = { name: 'rollcall-smoke-left', labels: { 'rollcall.dev/smoke-test': '' } };
    await host.send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    const { code, output } = await rollcall(...BY_KUBECONFIG, '-o', 'json');
    const { checks } = JSON.parse(output) as { readonly checks: readonly Verdict[] };
    expect([code, checks.map(({ status, words }) => `${status} ${words}`)]).toEqual([
      1,
      [
        'warn left of an earlier test, unless one runs now: rollcall-smoke-left',
        expect.stringMatching(/^ok .* is registered/),
        expect.stringMatching(/^ok Ready by a beat/),
        expect.stringMatching(/^ok silent/),
        expect.stringMatching(
          /^warn Unknown, and not tainted .*; the API says: not tainted, because its zone holds that back; .*all zones are down/,
        ),
        expect.stringMatching(/^ok Ready by a beat again/),
        expect.stringMatching(/^ok .* is deleted/),
      ],
    ]);
    expect(
      (await nodeOf('down-1')).spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [],
    ).toEqual([]);
  });
});
