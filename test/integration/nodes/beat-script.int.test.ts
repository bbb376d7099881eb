/** `examples/beat.sh` makes a machine a node of the deployed stack, and lets kubectl drain it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { type RunningProxy, startProxy } from '../../support/servers/proxy-process.ts';
import { prepareBeatScript } from '../../support/shell/beat-script.ts';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { cliToken, must, output } from '../support/deployment.ts';

const NAME = 'beat-script';
const PODS = '/api/v1/namespaces/default/pods';
/** For each step, of which every turn has several requests to an emulator. */
const WITHIN_MS = 120_000;

const admin = cliToken('--admin');
const script = prepareBeatScript(() => ({
  ROLLCALL_API: output('ApiUrl'),
  ROLLCALL_HEARTBEAT: output('HeartbeatUrl'),
  ROLLCALL_NODE: NAME,
  ROLLCALL_CAPACITY: 'cpu=2,memory=1Gi,pods=3',
}));
const { calls, folder, state, until } = script;
let gateway: RunningProxy;

const node = (): Promise<Node> => must<Node>({ method: 'GET', path: `/api/v1/nodes/${NAME}`, token: admin });
const readyIs = async (wanted: string): Promise<boolean> =>
  ((await node()).status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === wanted);
const pods = async (): Promise<readonly Pod[]> => {
  const { items } = await must<ApiList<Pod>>({ method: 'GET', path: PODS, token: admin });
  return items.filter(({ spec }) => spec.nodeName === NAME);
};

beforeAll(async () => {
  gateway = await startProxy(output('ApiUrl'));
  script.giveToken(cliToken('--bootstrap'));
  for (const name of ['on-cordon', 'on-uncordon', 'on-lost', 'on-found']) script.hook(name);
  script.hook('on-evict', `[ -e ${join(folder, 'ready-to-go')} ]`);
});

afterAll(async () => {
  await must({ method: 'DELETE', path: `/api/v1/nodes/${NAME}`, token: admin });
  await gateway.stop();
  script.remove();
});

it('joins with a bootstrap token, and is ready', async () => {
  await until('the node is ready', WITHIN_MS, () => readyIs('True'));
});

it.skipIf(!hasKubectl)(
  'lets a drain by kubectl end when its hook has succeeded, and tells of cordons',
  async () => {
    const spec = { nodeName: NAME, containers: [{ name: 'c', image: 'i' }] };
    await must({ method: 'POST', path: PODS, token: admin, body: { metadata: { name: NAME }, spec } });
    const uid = (await pods())[0]?.metadata.uid;
    let drained = '';
    const drain = gateway.kubectl('drain', NAME, '--force', '--grace-period=9').then((text) => {
      drained = text;
    });
    await until('the hooks ran', WITHIN_MS, () => calls().length >= 2);
    expect(calls().slice(0, 2).toSorted()).toEqual([
      `on-cordon ${NAME}`,
      `on-evict default ${NAME} ${uid} 9`,
    ]);
    expect(drained).toBe('');
    expect(await pods()).toHaveLength(1);
    writeFileSync(join(folder, 'ready-to-go'), '');
    await until('the pod is gone', WITHIN_MS, async () => (await pods()).length === 0);
    await drain;
    expect(drained).toContain(`node/${NAME} drained`);
    await gateway.kubectl('uncordon', NAME);
    await until('the uncordon was told', WITHIN_MS, () => calls().includes(`on-uncordon ${NAME}`));
  },
);

it('renews its token', async () => {
  const before = readFileSync(join(state, 'token'), 'utf8');
  writeFileSync(join(state, 'renewed-at'), '999999999999\n');
  const token = (): string => readFileSync(join(state, 'token'), 'utf8');
  await until('it has another token', WITHIN_MS, () => token() !== before);
  await until('it beats with it', WITHIN_MS, () => readyIs('True'));
});

it('is lost while the API does not answer, and found again', async () => {
  const away = { ROLLCALL_HEARTBEAT: 'http://127.0.0.1:1' };
  writeFileSync(join(state, 'beat-at'), '1\n');
  expect((await script.turn(away)).said).toContain('no heartbeat: 000');
  await until('it is found', WITHIN_MS, () => calls().includes(`on-found ${NAME}`));
  expect(calls().filter((call) => call === `on-lost ${NAME}`)).toHaveLength(1);
});
