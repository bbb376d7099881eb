/** The runtime of those who run bundles without an agent's program. */
import { findProgram } from '../../agent/adapters/linux/find-program.ts';
import { findCgroups } from '../../agent/adapters/linux/groups/cgroups.ts';
import { createControlGroups } from '../../agent/adapters/linux/groups/control-groups.ts';
import { agentFacts } from '../../agent/adapters/oci-runtime/agent-facts.ts';
import {
  createOciRuntime,
  type OciRuntime,
  type OciRuntimeOptions,
} from '../../agent/adapters/oci-runtime/oci-runtime.ts';
import { UNCHANGED_PROGRAMS } from '../support/agent/oci/bundle-machine.ts';
import { chaosOptions, stateOf } from './options.ts';

/** In the folder of a run. `periods`: of its work in the background, ms. */
export const bundleRuntime = (
  folder: string,
  podsCgroup: string,
  periods: Partial<Pick<OciRuntimeOptions, 'logPeriodMs' | 'sweepPeriodMs'>> = {},
): Promise<OciRuntime> =>
  createOciRuntime({
    ...chaosOptions(folder, podsCgroup),
    ...periods,
    groups: createControlGroups(podsCgroup, '/', false, 'runtime'),
    programs: {
      runtime: { program: findProgram('runc') ?? '', stateFolder: stateOf(folder), callMs: 60_000 },
      conmon: findProgram('conmon') ?? '',
      hasOverlays: true,
    },
    name: 'runc',
    check: UNCHANGED_PROGRAMS,
    agent: agentFacts({
      isVersion2: findCgroups().mounts.memory?.version === 'v2',
      boundsSwap: false,
      killsSingleProcess: true,
    }),
    seccomp: { profiles: folder, isDefault: true },
    hostImagePaths: [],
    imageFolders: [],
    privateFolders: [folder],
    uptime: () => performance.now(),
  });
