import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeHostRecord } from '../../../../host/folder/host-record.ts';
import { pathsOf, writePrivately } from '../../../../shared/serving/machine/files.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-names-'));

beforeAll(() => {
  const paths = pathsOf(folder);
  writePrivately(paths.caCertificate, 'CA');
  writePrivately(paths.adminToken, 'secret\n');
  const host = { url: 'https://host.test', host: 'host.test', port: 1, clusterId: 'c', timeFactor: 1 };
  writeHostRecord(paths.host, { ...host, nodeLifecycle: {} as never });
});

afterAll(() => rmSync(folder, { recursive: true }));

const asked: { url: string; ca: string | undefined; authorization: string | null; isBounded: boolean }[] = [];

const complete = (words: string) =>
  runCommandLine(`__complete ${words}`, {
    readFile: async (path) =>
      path === 'far.yaml' ? 'contexts:\n- name: far\n' : 'contexts:\n- name: home\n- name: work\n',
    fetch: async (url, { ca, headers, signal } = {}) => {
      const authorization = new Headers(headers).get('authorization');
      asked.push({ url, ca, authorization, isBounded: signal instanceof AbortSignal });
      return new Response(
        JSON.stringify({ items: [{ metadata: { name: 'n1' } }, { metadata: { name: 'n2' } }] }),
      );
    },
  });

describe('names for a shell', () => {
  it.each([
    ['nodes token --node --folder', '/api/v1/nodes'],
    ['zones outage --zone --folder', '/apis/rollcall.dev/v1/zones'],
    ['holds resume --folder', '/apis/rollcall.dev/v1/holds'],
    ['object explain --folder FOLDER pod', '/api/v1/namespaces/default/pods'],
  ])('%s are asked of the host, once, for so long', async (words, path) => {
    asked.length = 0;
    const line = words.includes('FOLDER') ? words.replace('FOLDER', folder) : `${words} ${folder}`;
    expect(await complete(line)).toEqual({ code: 0, printed: 'n1\nn2', complaint: '' });
    expect(asked).toEqual([
      {
        url: `https://host.test${path}?limit=500`,
        ca: 'CA',
        authorization: 'Bearer secret',
        isBounded: true,
      },
    ]);
  });

  it.each([
    ['nodes drain --folder=/nowhere', ''],
    ['nodes drain --folder = /nowhere', ''],
    ['nothing', ''],
    ['object explain', ''],
    ['contexts', 'home\nwork'],
    ['contexts drain n1 --kubeconfig far.yaml --context', 'far'],
    ['contexts drain n1 --kubeconfig = far.yaml --context', 'far'],
  ])('%s: nothing but names is printed', async (words, printed) => {
    expect(await complete(words)).toEqual({ code: 0, printed, complaint: '' });
  });

  it('are none if the host does not answer', async () => {
    const fetch = async (): Promise<Response> => Promise.reject(new Error('gone'));
    const result = await runCommandLine(`__complete nodes drain --folder ${folder}`, { fetch });
    expect(result).toEqual({ code: 0, printed: '', complaint: '' });
  });
});
