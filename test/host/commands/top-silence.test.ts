import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { type FrontMode, startFailingFront } from '../../support/servers/failing-front.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';
import { startProxy } from '../../support/servers/proxy-process.ts';
import { openTerminal } from './open-terminal.ts';

/** Looks at a screen, 0.3 s each: for so long that a display which judges by its own clock has accused every node. */
const LOOKS = 26;
const LOST = 'no answer since';
/** Machines beat each 3 s, and are late after 4.5 s: patience enough for a computer that is busy. */
const ARGS = ['--fleet', '--node-monitor-grace-period', '12s', '--listen', '127.0.0.1:0'];
/** Machines of the fleet are late indeed where the computer is busy; never most of them. */
const MOST_LATE = 6;

const kubeconfig = (server: URL, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'front',
    clusters: [{ name: 'front', cluster: { server: server.href } }],
    contexts: [{ name: 'front', context: { cluster: 'front', user: 'admin' } }],
    users: [{ name: 'admin', user: { token } }],
  });

/** Whether a screen accuses the fleet, or forecasts although the API is silent. */
const isFalse = (text: string): boolean => {
  const late = Number(/\b(\d+) late\b/.exec(text)?.[1] ?? 0);
  const forecasts = /becomes? Unknown|leaves n\d/.test(text);
  return late > MOST_LATE || /\b\d+ Unknown\b/.test(text) || (forecasts && text.includes(LOST));
};

describe('rollcall top while its source does not answer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-top-silence-'));
  const closing: (() => unknown)[] = [];
  let host: HostProcess;

  const openTopOf = async (file: string) => {
    const rollcall = resolve('cli/rollcall.js');
    const terminal = openTerminal(100, 30, [process.execPath, rollcall, 'top', '--kubeconfig', file]);
    closing.unshift(terminal.close);
    await terminal.until('12 ready');
    const looks = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (let look = 0; look < LOOKS; look += 1) seen.push((await terminal.shown()).lines.join('\n'));
      return seen;
    };
    return { terminal, looks };
  };
  type Top = Awaited<ReturnType<typeof openTopOf>>;
  /** `rollcall top` behind a front of its own. */
  const openTop = async () => {
    const front = await startFailingFront(host.url, readFileSync(join(folder, 'ca.crt'), 'utf8'));
    closing.unshift(front.close);
    const file = join(folder, `${front.url.port}.kubeconfig`);
    writeFileSync(file, kubeconfig(front.url, host.adminToken));
    return { front, ...(await openTopOf(file)) };
  };
  /** `rollcall top` behind a gateway of its own. */
  const openTopAtProxy = async () => {
    const [ca, token] = [join(folder, 'ca.crt'), join(folder, 'admin.token')];
    const proxy = await startProxy(host.url, '--ca', ca, '--token-file', token);
    closing.unshift(async () => {
      proxy.process.kill('SIGCONT');
      await proxy.stop();
    });
    return { proxy: proxy.process, ...(await openTopOf(proxy.kubeconfig)) };
  };

  /** Waits until it is live again. A list on a connection that is dead takes 15 s to be given up. */
  const isLive = ({ shown }: Top['terminal']): Promise<true> => {
    let text = '';
    const look = async (): Promise<true | undefined> => {
      text = (await shown()).lines.join('\n');
      return (text.includes('12 ready') && !text.includes(LOST)) || undefined;
    };
    return eventually('top is live again', 60_000, look, { seen: () => text });
  };

  /** The screen while the API is away, and when it is back. */
  const silenced = async ({ terminal, looks }: Top, begin: () => void, end: () => void): Promise<void> => {
    begin();
    await terminal.until(LOST);
    const during = await looks();
    end();
    await isLive(terminal);
    expect([...during, ...(await looks())].filter(isFalse)).toEqual([]);
  };

  beforeAll(async () => {
    host = await startHostProcess(folder, ...ARGS);
  });
  afterAll(async () => {
    host?.resume();
    for (const close of closing) await close();
    await host?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.concurrent('behind a network that fails', () => {
    it.each<[string, FrontMode]>([
      ['has no server behind its load balancer', '503'],
      ['is slow', 'slow'],
      ['answers on no connection', 'silent'],
    ])('says so, accuses no node and forecasts nothing when it %s', async (_, mode) => {
      const top = await openTop();
      await silenced(
        top,
        () => top.front.become(mode),
        () => top.front.become('passes'),
      );
    });

    it('accuses no node when a router has forgotten all connections, and opens others', async () => {
      const { front, terminal, looks } = await openTop();
      front.forget();
      const seen = [...(await looks()), ...(await looks())];
      await isLive(terminal);
      expect([...seen, ...(await looks())].filter(isFalse)).toEqual([]);
    });
  });

  it('says so, accuses no node and forecasts nothing when its process is stopped', async () => {
    await silenced(await openTop(), host.pause, host.resume);
  });

  it('says so, accuses no node and forecasts nothing when a gateway is stopped, or the host behind it', async () => {
    const { proxy, ...top } = await openTopAtProxy();
    await silenced(
      top,
      () => proxy.kill('SIGSTOP'),
      () => proxy.kill('SIGCONT'),
    );
    await silenced(top, host.pause, host.resume);
  });

  it('says so when it was killed, and still shows what was true then', async () => {
    const { terminal, looks } = await openTop();
    await host.kill();
    await terminal.until(LOST);
    const seen = await looks();
    expect(seen.filter(isFalse)).toEqual([]);
    expect(seen.at(-1)).toContain('12 nodes');
  });
});
