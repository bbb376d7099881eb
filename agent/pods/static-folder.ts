/** Reads the manifests of static pods. Source: kubernetes v1.34 pkg/kubelet/config `sourceFile`. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from '../config/yaml-lines.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { type StaticPod, staticPod } from '../rules/pods/static-pod.ts';
import { podName, uidOf } from './worker/worker-state.ts';

export interface StaticFolderOptions {
  /** Absolute; `staticPodPath` of the configuration. */
  readonly folder: string;
  readonly nodeName: string;
  /** `fileCheckFrequency` of the configuration. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly onPods: (pods: readonly AgentPod[]) => void;
}

type Read = ReadonlyMap<string, AgentPod>;

const digest = (text: string): string => createHash('md5').update(text).digest('hex');

/** Without the folder there are no static pods. Any other fault leaves those that are known. */
const manifests = async (folder: string): Promise<readonly string[]> => {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return found
      .filter((one) => !one.isDirectory() && !one.name.startsWith('.'))
      .map(({ name }) => join(folder, name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

const readOne = async ({ nodeName, clock }: StaticFolderOptions, file: string): Promise<StaticPod> => {
  const read = readYaml(await readFile(file, 'utf8'));
  if ('error' in read) return { fault: `line ${read.line}: ${read.error}` };
  return staticPod(read.document, { nodeName, file, digest, now: clock.now() });
};

/** A manifest that is not right, or half written, leaves the pod that it was before. */
const readOrKeep = async (
  options: StaticFolderOptions,
  file: string,
  known: AgentPod | undefined,
): Promise<AgentPod | undefined> => {
  const read = await readOne(options, file).catch((error: unknown) => ({ fault: String(error) }));
  if ('fault' in read) {
    options.log(`static pod ${file}: ${read.fault}${known ? '; it stays as it was' : ''}`);
    return known;
  }
  // The same manifest is the same pod: when it was seen does not count.
  return known && uidOf(known) === uidOf(read.pod) ? known : read.pod;
};

/** Of two manifests with one name the first counts. */
const readAll = async (options: StaticFolderOptions, before: Read): Promise<Read> => {
  const pods = new Map<string, AgentPod>();
  const names = new Set<string>();
  for (const file of await manifests(options.folder)) {
    const pod = await readOrKeep(options, file, before.get(file));
    if (!pod) continue;
    const name = podName(pod);
    if (names.has(name)) options.log(`static pod ${file}: there is another manifest of the name ${name}`);
    else pods.set(file, pod);
    names.add(name);
  }
  return pods;
};

/** Reads until `signal` aborts. */
export const watchStaticFolder = async (options: StaticFolderOptions, signal: AbortSignal): Promise<void> => {
  let known: Read = new Map();
  while (!signal.aborted) {
    try {
      known = await readAll(options, known);
      options.onPods([...known.values()]);
    } catch (error) {
      options.log(`static pods: ${options.folder} cannot be read`, error);
    }
    await options.clock.sleep(options.everyMs);
  }
};
