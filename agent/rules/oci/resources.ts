/** What a container may take, as a bundle has it. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { LinuxResources } from '../cri/messages/linux.ts';
import type { Controller } from '../stats/cgroup-layout.ts';
import type { OciResources } from './runtime-spec.ts';

/** The runtime adds the devices that every container has, such as `/dev/null`. */
const NO_DEVICES = [{ allow: false, access: 'rwm' }];
const ALL_DEVICES = [{ allow: true, access: 'rwm' }];

const cpuOf = ({
  cpuShares,
  cpuQuota,
  cpuPeriod,
  cpusetCpus,
  cpusetMems,
}: LinuxResources): NonNullable<OciResources['cpu']> => ({
  ...optional('shares', cpuShares),
  ...optional('quota', cpuQuota),
  ...optional('period', cpuPeriod),
  ...optional('cpus', cpusetCpus),
  ...optional('mems', cpusetMems),
});

const memoryOf = ({
  memoryLimitInBytes,
  memorySwapLimitInBytes,
}: LinuxResources): NonNullable<OciResources['memory']> => ({
  ...optional('limit', memoryLimitInBytes),
  ...optional('swap', memorySwapLimitInBytes),
});

/** `absent`: the controllers that the machine lacks, of which the runtime refuses each bound. The agent tells that they are not held. */
export const ociResources = (
  resources: LinuxResources,
  { pidsLimit, isPrivileged }: { readonly pidsLimit?: number; readonly isPrivileged: boolean },
  absent: readonly Controller[],
): OciResources => ({
  devices: isPrivileged ? ALL_DEVICES : NO_DEVICES,
  ...(!absent.includes('cpu') && { cpu: cpuOf(resources) }),
  ...(!absent.includes('memory') && { memory: memoryOf(resources) }),
  ...(pidsLimit !== undefined && !absent.includes('pids') && { pids: { limit: pidsLimit } }),
  ...(resources.unified && !absent.includes('memory') && { unified: resources.unified }),
});
