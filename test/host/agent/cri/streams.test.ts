/** Where a real containerd streams: URLs of a server of its own, and files of logs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type Containerd, startContainerd } from '../../../support/cri/containerd.ts';
import { type CriMachine, type CriPod, startCriMachine } from '../../../support/cri/cri-machine.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';

const missing = missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 30_000;
const WANTED = { stdin: false, stdout: true, stderr: true, tty: false };

/** The status of the answer to an upgrade to SPDY. */
const upgrade = async (url: URL, protocol: string): Promise<number | undefined> => {
  const asked = request(url, {
    method: 'POST',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol },
  });
  asked.end();
  const [answer, socket] = await Promise.race([once(asked, 'upgrade'), once(asked, 'response')]);
  socket?.destroy();
  return answer.statusCode;
};

describe.skipIf(missing !== undefined)(`streams of a CRI${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let machine: CriMachine;
  let pod: CriPod;
  let id: string;

  beforeAll(async () => {
    containerd = await startContainerd();
    machine = await startCriMachine(containerd);
    pod = machine.pod();
    await pod.sandbox();
    id = await pod.shell('echo here; sleep 100000', {}, { stdin: true });
  }, 120_000);
  afterAll(async () => {
    await pod?.remove();
    machine?.close();
    await containerd?.close();
  }, 120_000);

  it('have logs in the format of the CRI, and none of a container that is not there', async () => {
    const { streams } = machine.runtime();
    const log = await streams.log(id);
    await eventually('the line is there', PATIENCE_MS, async () =>
      readFileSync(log?.path ?? '', 'utf8').endsWith('stdout F here\n'),
    );
    expect(await streams.log('containerd://nobody')).toBeUndefined();
  });

  it('lead to a server of the runtime, which takes each of them once', async () => {
    const { streams } = machine.runtime();
    const urls = [
      [await streams.exec(id, ['/bin/true'], WANTED), 'v4.channel.k8s.io'],
      // A terminal has one output, whatever is asked for.
      [await streams.exec(id, ['/bin/true'], { ...WANTED, tty: true }), 'v4.channel.k8s.io'],
      [await streams.attach(id, { ...WANTED, stdin: true }), 'v4.channel.k8s.io'],
      [await streams.forward(pod.pod.metadata.uid ?? '', [8080]), 'portforward.k8s.io'],
    ] as const;
    for (const [url, protocol] of urls) {
      if (!(url instanceof URL)) throw new Error('no URL');
      expect(url.hostname).toBe('127.0.0.1');
      expect(await upgrade(url, protocol)).toBe(101);
      expect(await upgrade(url, protocol)).toBe(404);
    }
  });

  it('are refused of what is not there', async () => {
    const { streams } = machine.runtime();
    await expect(streams.exec('containerd://nobody', ['ls'], WANTED)).rejects.toMatchObject({
      code: 'NotFound',
    });
    await expect(streams.forward('nobody', [1])).rejects.toThrow('pod nobody is not running');
  });
});
