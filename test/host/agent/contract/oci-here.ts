/** A runtime of OCI bundles in a folder, as whoever this process is. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import { findCgroups } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import { createControlGroups } from '../../../../agent/adapters/linux/groups/control-groups.ts';
import { agentFacts } from '../../../../agent/adapters/oci-runtime/agent-facts.ts';
import { createOciRuntime, type OciRuntime } from '../../../../agent/adapters/oci-runtime/oci-runtime.ts';
import { UNCHANGED_PROGRAMS } from '../../../support/agent/oci/bundle-machine.ts';
import { sharedOptions } from './machine.ts';

const CALL_MS = 60_000;
const PERIOD_MS = 60_000;
const SWEEP_MS = 500;

const silencer = (folder: string): string => join(folder, 'silent');

/** A program in the place of runc, which does not answer as long as a file is there. */
const programIn = (folder: string): string => {
  const program = join(folder, 'runc');
  const text = `#!/bin/sh\n[ ! -e ${silencer(folder)} ] || exit 1\nexec ${findProgram('runc') ?? 'runc'} "$@"\n`;
  if (!existsSync(program)) writeFileSync(program, text, { mode: 0o755 });
  return program;
};

export const silence = (folder: string): void => writeFileSync(silencer(folder), '');
export const heal = (folder: string): void => rmSync(silencer(folder));

export const ociRuntimeIn = async (folder: string): Promise<OciRuntime> => {
  const podsCgroup = `/${basename(folder)}`;
  mkdirSync(join(folder, 'state'), { recursive: true });
  return await createOciRuntime({
    ...sharedOptions(folder),
    podsCgroup,
    groups: createControlGroups(podsCgroup, '/', false, 'runtime'),
    programs: {
      runtime: { program: programIn(folder), stateFolder: join(folder, 'state'), callMs: CALL_MS },
      conmon: findProgram('conmon') ?? 'conmon',
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
    privateFolders: [],
    uptime: () => performance.now(),
    logPeriodMs: PERIOD_MS,
    sweepPeriodMs: SWEEP_MS,
  });
};
