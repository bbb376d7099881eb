/** What containers can get from this agent and its machine. */
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { optional } from '../../../shared/kube/values/optional.ts';
import { capabilitiesIn } from '../../rules/oci/capabilities.ts';
import type { AgentFacts } from '../../rules/oci/config.ts';
import { findCgroups } from '../linux/groups/cgroups.ts';

const numberIn = (path: string): number => Number(readFileSync(path, 'utf8').trim());

/** `undefined`: this program is root. */
const rootlessOf = (): AgentFacts['rootless'] => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return uid === 0 ? undefined : { uid, gid };
};

/** Read from the files of the kernel, which answer at once. */
export const agentFacts = (abilities: AgentFacts['abilities']): AgentFacts => {
  const { absent } = findCgroups();
  const rootless = rootlessOf();
  const [, bounding = ''] = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return {
    ...optional('rootless', rootless),
    capabilities: capabilitiesIn(bounding),
    oomScoreAdjust: numberIn('/proc/self/oom_score_adj'),
    abilities,
    absent,
    architecture: process.arch,
    kernel: release(),
  };
};
