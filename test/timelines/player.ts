/** Plays a scenario on a host, and compares it with its recording. */
import type { HostProcess } from '../support/servers/host-process.ts';
import { connectApi } from './api.ts';
import { createAttacher } from './attacher.ts';
import { createCluster, type Play } from './cluster.ts';
import type { Run } from './comparison.ts';
import { createHistory } from './history.ts';
import { createKubelet } from './kubelet.ts';
import type { Scenario } from './scenario.ts';
import { ATTACH_DETACH } from './scenarios/attach-detach.ts';
import { DISRUPTION } from './scenarios/disruption.ts';
import { GARBAGE_COLLECTOR } from './scenarios/garbage-collector.ts';
import { NAMESPACES } from './scenarios/namespaces.ts';
import { NODE_IPAM } from './scenarios/node-ipam.ts';
import { POD_GC } from './scenarios/pod-gc.ts';
import { TEMPLATE_HASHES } from './scenarios/template-hashes.ts';
import { WORKLOADS } from './scenarios/workloads.ts';
import { type Watched, watchKinds } from './watched.ts';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...NODE_IPAM,
  ...ATTACH_DETACH,
  ...DISRUPTION,
  ...GARBAGE_COLLECTOR,
  ...NAMESPACES,
  ...POD_GC,
  ...WORKLOADS,
  ...TEMPLATE_HASHES,
};

type Server = Pick<HostProcess, 'url' | 'adminToken'> & { readonly ca: string };

/** Components that were off in most recordings. */
const SILENCED = ['node-controller', 'taint-eviction-controller'];

/** Seconds within which changes of an object count as one, in the recordings. */
const TOGETHER_S = 0.6;
/** On a machine that was this late (s), changes that were one in the recording may lie apart. */
const LATE_S = 0.1;

const windowsOf = (late: number, { passSeconds }: Scenario): readonly number[] => [
  TOGETHER_S,
  ...(passSeconds === undefined ? [] : [TOGETHER_S + passSeconds]),
  ...(late < LATE_S ? [] : [2 * TOGETHER_S, 4 * TOGETHER_S]),
];

const NOTHING: Pick<Watched, 'all'> = { all: () => [] };

/** Makes what has to be there before the controllers start. */
export const prepare = async (scenario: Scenario, { url, ca, adminToken }: Server): Promise<void> => {
  const api = connectApi(url, ca, adminToken);
  await scenario.before?.(createCluster({ api, all: NOTHING.all, facts: {}, zero: Date.now(), late: 0 }));
  api.close();
};

export const play = async (scenario: Scenario, { url, ca, adminToken }: Server): Promise<Run> => {
  const api = connectApi(url, ca, adminToken);
  const history = createHistory({
    fields: scenario.ignored ?? [],
    sources: scenario.silenced ?? SILENCED,
  });
  let watched: Watched | undefined;
  const all: Play['all'] = (kind) => watched?.all(kind) ?? [];
  const kept: Play = { api, all, facts: {}, zero: Date.now(), late: 0 };
  const cluster = createCluster(kept);
  const kubelet = scenario.kubelets && createKubelet(cluster, scenario.kubelets);
  const attacher = scenario.hasAttacher === true ? createAttacher(cluster) : undefined;
  watched = await watchKinds(api, scenario.watched, history, (kind, object) => {
    if (kind === 'Pod') kubelet?.(object);
    if (kind === 'VolumeAttachment') attacher?.(object);
  });
  cluster.begin();
  await scenario.play(cluster);
  // Nobody runs or ends pods any more.
  cluster.live.clear();
  const run = {
    facts: kept.facts,
    late: kept.late,
    finals: history.finals(Date.now()),
    happenings: windowsOf(kept.late, scenario).map((seconds) => history.happenings(kept.zero, seconds)),
  };
  watched.close();
  api.close();
  return run;
};
