/** Opens what a host keeps in its folder: state, keys and certificates. */
import { openSqliteState, type SqliteState } from '../../shared/adapters/sqlite/state.ts';
import { machineTime } from '../../shared/adapters/system/machine-time.ts';
import { ensurePrivateFolder } from '../../shared/adapters/system/private-files.ts';
import { createSteadyClock } from '../../shared/adapters/system/steady-clock.ts';
import type { KeysAtOnce, SigningKeys } from '../../shared/ports/outside/signing-keys.ts';
import type { SteadyClock } from '../../shared/ports/process/clock.ts';
import {
  type Certificates,
  ensureCertificates,
  type HostPaths,
  pathsOf,
} from '../../shared/serving/machine/files.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { HostConfiguration } from '../../shared/settings/host/host-configuration.ts';
import { applyStepBetweenRuns } from './clock-steps.ts';
import { createFolderSigningKeys } from './signing-keys.ts';

/** The folder of a running host. Close `state` at the end. */
export interface OpenFolder {
  readonly clock: SteadyClock;
  readonly configuration: HostConfiguration;
  readonly hostLog: HostLog;
  readonly paths: HostPaths;
  readonly state: SqliteState;
  readonly certificates: Certificates;
  readonly signingKeys: SigningKeys & KeysAtOnce;
}

/** Visibility timeout of messages, ms: several times as long as a run of any controller takes. */
const VISIBILITY_MS = 60_000;

const openState = (
  { state }: HostPaths,
  { cluster }: HostConfiguration,
  clock: SteadyClock,
  hostLog: HostLog,
): SqliteState =>
  openSqliteState({
    folder: state,
    clock,
    visibilityTimeoutMs: VISIBILITY_MS,
    onNotice: (notice) => hostLog.warn(notice),
    heartbeatRetentionMs: cluster.heartbeatRetentionSeconds * 1000,
  });

/**
 * Opens everything in the folder, and creates what is missing. The state comes first because it locks the folder. Rejects if the
 * folder is in use, damaged or not writable.
 */
export const openFolder = async (configuration: HostConfiguration, hostLog: HostLog): Promise<OpenFolder> => {
  const paths = pathsOf(configuration.folder);
  ensurePrivateFolder(paths.folder);
  const clock = createSteadyClock();
  const state = openState(paths, configuration, clock, hostLog);
  try {
    applyStepBetweenRuns({ clock, state, machineTime, hostLog });
    const onNotice = (notice: string) => hostLog.warn(notice);
    const signingKeys = createFolderSigningKeys({ paths, clock, onNotice });
    const { listen, hostNames } = configuration;
    const certificates = await ensureCertificates(paths, listen.host, hostNames, clock.now());
    return { clock, configuration, hostLog, paths, state, certificates, signingKeys };
  } catch (error) {
    state.close();
    throw error;
  }
};
