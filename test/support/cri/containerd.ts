/** A containerd of this machine in folders of its own, with images that the test makes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type CriClient, createCriClient } from '../../../agent/adapters/cri/client.ts';
import { eventually } from '../clocks/eventually.ts';
import { kill } from '../shell/kill.ts';
import { CONTAINERD, PLUGINS } from './needs.ts';
import { type ImageToMake, imageArchive } from './oci-image.ts';

const PATIENCE_MS = 60_000;
const CALL_MS = 30_000;

const PAUSE: ImageToMake = { name: 'rollcall.test/pause:1', entrypoint: ['/bin/sleep', '2147483647'] };
/** Its entry point is a shell that does nothing for long. */
export const SHELL_IMAGE = 'rollcall.test/shell:1';
const SHELL: ImageToMake = { name: SHELL_IMAGE, entrypoint: ['/bin/sh', '-c'], command: ['sleep 1000000'] };

export interface ContainerdOptions {
  readonly snapshotter?: 'overlayfs' | 'native';
  /** Network configuration lists by file name; none: only the host's network works. */
  readonly networks?: Readonly<Record<string, object>>;
  /** More lines of TOML at the end of its configuration. */
  readonly more?: string;
}

export interface Containerd {
  readonly folder: string;
  /** `unix://…`. */
  readonly endpoint: string;
  readonly client: CriClient;
  /** Control group for pods; removed with the rest. */
  readonly cgroup: string;
  readonly pid: () => number;
  readonly output: () => string;
  /** Runs `ctr` in the namespace of the CRI; resolves with its output. */
  ctr(...words: readonly string[]): Promise<string>;
  importImage(image: ImageToMake): Promise<void>;
  /** Puts a network configuration list where containerd looks for them. */
  addNetwork(name: string, list: object): void;
  /** SIGKILL to containerd alone; shims and containers run on. */
  kill(): Promise<void>;
  /** Starts it again on the same folders. */
  start(): Promise<void>;
  /** Ends all pods, and removes all that is left. */
  close(): Promise<void>;
}

const CRI = 'plugins."io.containerd.grpc.v1.cri"';

const configOf = (
  folder: string,
  { snapshotter = 'overlayfs', more = '' }: ContainerdOptions,
): string => `version = 2
root = "${folder}/root"
state = "${folder}/state"
[grpc]
  address = "${folder}/c.sock"
[ttrpc]
  address = "${folder}/c.sock.ttrpc"
[${CRI}]
  sandbox_image = "${PAUSE.name}"
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  disable_apparmor = true
  # Root without CAP_SYS_RESOURCE may not make a process less likely to be killed.
  restrict_oom_score_adj = true
[${CRI}.containerd]
  snapshotter = "${snapshotter}"
  default_runtime_name = "runc"
[${CRI}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${CRI}.containerd.runtimes.runc.options]
  SystemdCgroup = false
[${CRI}.cni]
  bin_dir = "${PLUGINS}"
  conf_dir = "${folder}/net.d"
${more}
`;

const run = promisify(execFile);

/** Processes of this containerd whose program begins with `name`: its shims are not its children. */
const processesOf = (folder: string, name: string): readonly number[] =>
  globSync('/proc/[0-9]*/cmdline').flatMap((path) => {
    try {
      const words = readFileSync(path, 'utf8').split('\0');
      const isOurs = words[0]?.includes(name) && words.some((word) => word.startsWith(folder));
      return isOurs ? [Number(path.split('/')[2])] : [];
    } catch {
      return [];
    }
  });

const unmountAll = async (folder: string): Promise<void> => {
  const places = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .filter((place) => place.startsWith(`${folder}/`));
  for (const place of places.toReversed()) await run('umount', ['--lazy', place]).catch(() => undefined);
};

const removeGroup = (path: string): void => {
  for (const child of globSync(`${path}/*/`)) removeGroup(child);
  rmdirSync(path);
};

/** A process that has ended keeps its group for a moment. */
const removeGroups = (cgroup: string): Promise<unknown> =>
  eventually(`the control group ${cgroup} is empty`, PATIENCE_MS, async () => {
    for (const path of globSync([`/sys/fs/cgroup/*${cgroup}`, `/sys/fs/cgroup${cgroup}`])) removeGroup(path);
    return true;
  });

const removePods = async ({ runtime }: CriClient): Promise<void> => {
  const { items } = await runtime.listPodSandbox({});
  for (const { id: podSandboxId } of items) {
    await runtime.stopPodSandbox({ podSandboxId });
    await runtime.removePodSandbox({ podSandboxId });
  }
};

/** One process; `output` goes on over starts. */
const launch = async (
  folder: string,
  client: CriClient,
  note: (text: string) => void,
): Promise<ChildProcess> => {
  const child = spawn(CONTAINERD, ['--config', join(folder, 'config.toml')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => note(chunk.toString()));
  await eventually('containerd answers', PATIENCE_MS, async () => {
    if (child.exitCode !== null) throw new Error('containerd ended');
    return (await client.runtime.version({}, { timeoutMs: 5_000 })).runtimeName;
  });
  return child;
};

export const startContainerd = async (options: ContainerdOptions = {}): Promise<Containerd> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cri-'));
  const { snapshotter = 'overlayfs', networks = {} } = options;
  const endpoint = `unix://${folder}/c.sock`;
  const cgroup = `/${basename(folder)}`;
  mkdirSync(join(folder, 'net.d'));
  const addNetwork = (name: string, list: object): void =>
    writeFileSync(join(folder, 'net.d', name), JSON.stringify(list));
  for (const [name, list] of Object.entries(networks)) addNetwork(name, list);
  writeFileSync(join(folder, 'config.toml'), configOf(folder, options));
  const client = await createCriClient({ endpoint, timeoutMs: CALL_MS });
  let output = '';
  const start = () =>
    launch(folder, client, (text) => {
      output = (output + text).slice(-100_000);
    }).catch((error: unknown) => {
      throw new Error(`containerd does not start: ${output}`, { cause: error });
    });
  let child = await start();
  const ctr: Containerd['ctr'] = async (...words) =>
    (await run('ctr', ['--address', `${folder}/c.sock`, '--namespace', 'k8s.io', ...words])).stdout;
  const importImage: Containerd['importImage'] = async (image) => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, imageArchive(image));
    await ctr('images', 'import', '--snapshotter', snapshotter, path);
    await eventually(`${image.name} is there`, PATIENCE_MS, async () => {
      const found = await client.images.imageStatus({ image: { image: image.name } });
      return found.image?.id;
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  };
  await importImage(PAUSE);
  await importImage(SHELL);
  return {
    folder,
    endpoint,
    client,
    ctr,
    importImage,
    addNetwork,
    cgroup,
    pid: () => child.pid ?? 0,
    output: () => output,
    kill: () => end('SIGKILL'),
    start: async () => {
      child = await start();
    },
    close: async () => {
      await removePods(client).catch(() => undefined);
      client.close();
      await end('SIGTERM');
      for (const pid of processesOf(folder, 'containerd-shim')) kill(pid);
      await removeGroups(cgroup);
      await unmountAll(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
