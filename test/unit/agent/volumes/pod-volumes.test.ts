import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import { NOT_KNOWN } from '../../../../agent/rules/known.ts';
import type { DataObject } from '../../../../agent/rules/volumes/payload.ts';
import type { Volume, VolumeMount } from '../../../../agent/rules/volumes/volume.ts';
import { createPodVolumes } from '../../../../agent/volumes/create-pod-volumes.ts';
import { mountMemory } from '../../../../agent/volumes/memory.ts';
import type { Mounter } from '../../../../agent/volumes/mounts.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import { podOf } from '../../../support/agent/pods/pod-world.ts';
import { boundPair } from '../../../support/agent/pods/storage.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'volumes-'));
});

afterEach(async () => await rm(root, { recursive: true }));

interface StorageObjects {
  claims: readonly PersistentVolumeClaim[];
  volumes: readonly PersistentVolume[];
}

const world = (mountFault?: string) => {
  const maps = new Map<string, DataObject>();
  const storage: StorageObjects = { claims: [], volumes: [] };
  const mounted: string[] = [];
  const sizes: (number | undefined)[] = [];
  let tokens = 0;
  let now = Date.UTC(2026, 0, 1);
  const mounter: Mounter = {
    below: async (folder) => mounted.filter((point) => point.startsWith(folder)),
    mountMemory: async (folder, size) => {
      if (mountFault !== undefined) throw new Error(mountFault);
      mounted.push(folder);
      sizes.push(size);
    },
    unmount: async (point) => void mounted.splice(mounted.indexOf(point), 1),
  };
  const volumes = createPodVolumes({
    root,
    mounter,
    trash: createTrash({ folder: join(root, 'trash'), log: () => {} }),
    clock: { now: () => now, uptime: () => now },
    allocatable: () => ({}),
    hostIPs: () => ['10.0.0.7'],
    node: () => NOT_KNOWN,
    objects: {
      configMap: (_namespace, name) => maps.get(name),
      secret: () => undefined,
      claim: (namespace, name) =>
        storage.claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
      volume: (name) => storage.volumes.find(({ metadata }) => metadata.name === name),
      runtimeClass: () => undefined,
    },
    tokens: {
      request: async ({ expirationSeconds }) => {
        tokens += 1;
        return { token: `token ${tokens}`, lifeMs: expirationSeconds * 1000 };
      },
    },
  });
  return {
    volumes,
    maps,
    mounted,
    sizes,
    storage,
    later: (ms: number): void => {
      now += ms;
    },
  };
};

const withVolumes = (volumes: readonly Volume[], mounts: readonly VolumeMount[] = []) =>
  podOf('p', { volumes, containers: [{ name: 'c', volumeMounts: mounts }] });

const folder = (type: string): string => join(root, 'pods', 'uid-p', 'volumes', `kubernetes.io~${type}`, 'v');

const CONFIG = withVolumes([{ name: 'v', configMap: { name: 'm' } }]);

const mountsOf = async (volumes: ReturnType<typeof world>['volumes'], pod: ReturnType<typeof podOf>) => {
  const [container] = pod.spec.containers;
  if (!container) throw new Error('no container');
  return await volumes.mounts(pod, container, new Map([['NAME', 'x']]));
};

describe('a volume of files', () => {
  it('waits for its source, and changes all at once without it', async () => {
    const { volumes, maps } = world();
    expect(await volumes.setUp(CONFIG)).toEqual([
      { volume: 'v', message: 'configmap "m" not found', isThere: false },
    ]);
    maps.set('m', { data: { a: '1', b: '2' } });
    expect(await volumes.setUp(CONFIG)).toEqual([]);
    const [first, path] = [
      await readlink(join(folder('configmap'), '..data')),
      join(folder('configmap'), 'a'),
    ];
    expect(first).toMatch(/^\.\.2026_01_01_00_00_00\./);
    expect([await readFile(path, 'utf8'), await readlink(path)]).toEqual(['1', '..data/a']);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    await volumes.setUp(CONFIG);
    expect(await readlink(join(folder('configmap'), '..data'))).toBe(first);
    maps.set('m', { data: { a: '3', c: '4' } });
    await volumes.setUp(CONFIG);
    const now = await readlink(join(folder('configmap'), '..data'));
    expect((await readdir(folder('configmap'))).toSorted()).toEqual(['..data', 'a', 'c', now].toSorted());
    expect(await readFile(path, 'utf8')).toBe('3');
    maps.clear();
    expect(await volumes.setUp(CONFIG)).toMatchObject([{ isThere: true }]);
    expect(await readFile(path, 'utf8')).toBe('3');
  });

  it('loses what an agent left that was killed', async () => {
    const { volumes, maps } = world();
    maps.set('m', { data: { a: '1' } });
    await mkdir(join(folder('configmap'), '..2025_01_01_00_00_00.abc'), { recursive: true });
    await symlink('..2025_01_01_00_00_00.abc', join(folder('configmap'), '..data_tmp'));
    await volumes.setUp(CONFIG);
    expect(await readdir(folder('configmap'))).toHaveLength(3);
  });

  it('has a token that is renewed in time', async () => {
    const { volumes, later } = world();
    const pod = withVolumes([
      {
        name: 'v',
        projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600 } }] },
      },
    ]);
    const read = async (): Promise<string> => {
      await volumes.setUp(pod);
      return await readFile(join(folder('projected'), 'token'), 'utf8');
    };
    expect([await read(), await read()]).toEqual(['token 1', 'token 1']);
    later(480_000);
    expect(await read()).toBe('token 2');
  });
});

describe('an emptyDir', () => {
  it('is kept until the pod is gone', async () => {
    const { volumes } = world();
    const pod = withVolumes([{ name: 'v', emptyDir: {} }], [{ name: 'v', mountPath: 'data' }]);
    await volumes.setUp(pod);
    await writeFile(join(folder('empty-dir'), 'x'), '1');
    await volumes.setUp(pod);
    expect(await mountsOf(volumes, pod)).toEqual({
      mounts: [{ source: folder('empty-dir'), target: '/data', isReadOnly: false }],
    });
    expect((await stat(folder('empty-dir'))).mode & 0o777).toBe(0o777);
    expect(volumes.measured(pod)).toEqual([{ name: 'v', folder: folder('empty-dir'), isEphemeral: true }]);
    expect(await volumes.uids()).toEqual(['uid-p']);
    await volumes.tearDown('uid-p');
    expect(await volumes.uids()).toEqual([]);
  });

  const inMemory = withVolumes([{ name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }]);

  it('is in memory if it asks for it, and unmounted before its folder goes', async () => {
    const { volumes, mounted, sizes } = world();
    await volumes.setUp(inMemory);
    await volumes.setUp(inMemory);
    expect(mounted).toEqual([folder('empty-dir')]);
    expect(sizes).toEqual([2 ** 20]);
    expect(volumes.measured(inMemory)).toMatchObject([{ isEphemeral: false }]);
    await volumes.tearDown('uid-p');
    expect(mounted).toEqual([]);
  });

  it('says why in the words of the program, without the place on the machine', async () => {
    const folder = '/agent/pods/uid-p/volumes/kubernetes.io~empty-dir/v';
    const words = `mount: ${folder}: must be superuser to use mount.\n  dmesg(1) may have more\n`;
    const failed = Object.assign(new Error(`Command failed: mount -t tmpfs tmpfs ${folder}`), {
      stderr: words,
    });
    const mounter: Mounter = {
      below: async () => [],
      mountMemory: () => Promise.reject(failed),
      unmount: async () => undefined,
    };
    expect(await mountMemory(mounter, folder, undefined)).toBe(
      'no memory file system can be mounted here, so that the volume lives on the disk: mount: must be superuser to use mount.',
    );
  });

  it('says so when it cannot be in memory', async () => {
    const { volumes } = world('mount: permission denied.\n');
    expect(await volumes.setUp(inMemory)).toEqual([
      {
        volume: 'v',
        message:
          'no memory file system can be mounted here, so that the volume lives on the disk: mount: permission denied.',
        isThere: true,
      },
    ]);
  });
});

describe('the files of a volume', () => {
  const field = { path: 'name', fieldRef: { fieldPath: 'metadata.name' } };
  const IN_MEMORY: readonly [string, Omit<Volume, 'name'>][] = [
    ['secret', { secret: { secretName: 's', optional: true } }],
    ['projected', { projected: { sources: [{ downwardAPI: { items: [field] } }] } }],
    ['downward-api', { downwardAPI: { items: [field] } }],
  ];

  it.each(IN_MEMORY)('of the type %s are in memory, and go with the pod', async (type, source) => {
    const { volumes, mounted } = world();
    const pod = withVolumes([{ name: 'v', ...source }]);
    expect(await volumes.setUp(pod)).toEqual([]);
    expect(await volumes.setUp(pod)).toEqual([]);
    expect(mounted).toEqual([folder(type)]);
    expect(volumes.measured(pod)).toMatchObject([{ isEphemeral: false }]);
    await volumes.tearDown('uid-p');
    expect(mounted).toEqual([]);
  });

  it('of a ConfigMap are on the disk', async () => {
    const { volumes, mounted, maps } = world();
    maps.set('m', { data: { a: '1' } });
    await volumes.setUp(CONFIG);
    expect(mounted).toEqual([]);
    expect(volumes.measured(CONFIG)).toMatchObject([{ isEphemeral: true }]);
  });

  it('that an agent before has written to the disk stay there: containers have that folder', async () => {
    const pod = withVolumes([{ name: 'v', downwardAPI: { items: [field] } }]);
    await world('mount: permission denied').volumes.setUp(pod);
    const { volumes, mounted } = world();
    await volumes.setUp(pod);
    expect(mounted).toEqual([]);
    expect(await readFile(join(folder('downward-api'), 'name'), 'utf8')).toBe('p');
  });

  it('are on the disk where mounting is not permitted, which is no fault of the pod', async () => {
    const { volumes } = world('mount: permission denied');
    const pod = withVolumes([{ name: 'v', downwardAPI: { items: [field] } }]);
    expect(await volumes.setUp(pod)).toEqual([]);
    expect(await readFile(join(folder('downward-api'), 'name'), 'utf8')).toBe('p');
  });
});

describe('a part of a volume', () => {
  const pod = (subPath: object) =>
    withVolumes([{ name: 'v', emptyDir: {} }], [{ name: 'v', mountPath: '/d', ...subPath }]);
  const fault = { fault: 'failed to prepare subPath for volumeMount "v" of container "c"' };

  it('is made, also by a variable', async () => {
    const { volumes } = world();
    await volumes.setUp(pod({}));
    const source = join(folder('empty-dir'), 'a', 'x');
    expect(await mountsOf(volumes, pod({ subPathExpr: 'a/$(NAME)' }))).toMatchObject({
      mounts: [{ source }],
    });
    expect((await lstat(source)).isDirectory()).toBe(true);
    expect(await mountsOf(volumes, pod({ subPathExpr: '$(NONE)' }))).toEqual(fault);
  });

  it('does not lead out of the volume', async () => {
    const { volumes } = world();
    await volumes.setUp(pod({}));
    await symlink(root, join(folder('empty-dir'), 'out'));
    await symlink('a', join(folder('empty-dir'), 'in'));
    for (const subPath of ['out', 'out/made', '../x', '/etc'])
      expect(await mountsOf(volumes, pod({ subPath }))).toEqual(fault);
    await expect(lstat(join(root, 'made'))).rejects.toThrow('ENOENT');
    await mkdir(join(folder('empty-dir'), 'a'));
    expect(await mountsOf(volumes, pod({ subPath: 'in' }))).toMatchObject({
      mounts: [{ source: join(folder('empty-dir'), 'a') }],
    });
  });
});

describe('a path of the machine', () => {
  it('is made if it may, and stays', async () => {
    const { volumes } = world();
    const path = join(root, 'own', 'data');
    const pod = withVolumes(
      [{ name: 'v', hostPath: { path, type: 'DirectoryOrCreate' } }],
      [{ name: 'v', mountPath: '/d', readOnly: true }],
    );
    expect(await volumes.setUp(pod)).toEqual([]);
    expect(await mountsOf(volumes, pod)).toEqual({
      mounts: [{ source: path, target: '/d', isReadOnly: true }],
    });
    await volumes.tearDown('uid-p');
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('keeps the pod from starting if it is not what it should be', async () => {
    const { volumes } = world();
    const pod = withVolumes([{ name: 'v', hostPath: { path: root, type: 'File' } }]);
    expect(await volumes.setUp(pod)).toEqual([
      { volume: 'v', message: `hostPath type check failed: ${root} is not a file`, isThere: false },
    ]);
  });
});

it('says which volumes it cannot make, and which are not there', async () => {
  const { volumes } = world();
  const pod = withVolumes([{ name: 'v', nfs: {} }], [{ name: 'w', mountPath: '/w' }]);
  expect(await volumes.setUp(pod)).toEqual([
    { volume: 'v', message: 'this agent has no volumes of the type nfs', isThere: false },
  ]);
  expect(await mountsOf(volumes, pod)).toEqual({
    fault: 'cannot find volume "w" to mount into container "c"',
  });
});

describe('J-155: a volume by a claim', () => {
  const CLAIMED = (claim: object = {}, context: object = {}) =>
    podOf('p', {
      securityContext: context,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c', ...claim } }],
      containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/data', subPath: 'part' }] }],
    });
  const place = async (): Promise<string> => await mkdtemp(join(root, 'disk-'));

  it('is the folder of its hostPath volume', async () => {
    const { volumes, storage } = world();
    const path = await place();
    Object.assign(storage, boundPair({ hostPath: { path } }));
    expect(await volumes.setUp(CLAIMED())).toEqual([]);
    expect(await mountsOf(volumes, CLAIMED())).toMatchObject({
      mounts: [{ source: join(path, 'part'), target: '/data', isReadOnly: false }],
    });
    expect(await mountsOf(volumes, CLAIMED({ readOnly: true }))).toMatchObject({
      mounts: [{ isReadOnly: true }],
    });
    await volumes.tearDown('uid-p');
    expect(await readdir(path)).toEqual(['part']);
  });

  it('is a local folder, which belongs to the group of the pod', async () => {
    const { volumes, storage } = world();
    const path = await place();
    await mkdir(join(path, 'inner'));
    await writeFile(join(path, 'inner', 'file'), '1', { mode: 0o600 });
    await symlink('/etc/hostname', join(path, 'link'));
    const before = await stat('/etc/hostname');
    Object.assign(storage, boundPair({ local: { path } }));
    expect(await volumes.setUp(CLAIMED({}, { fsGroup: 5_000 }))).toEqual([]);
    const [folderNow, file] = [await stat(path), await stat(join(path, 'inner', 'file'))];
    expect([folderNow.gid, folderNow.mode & 0o2070, file.gid, file.mode & 0o777]).toEqual([
      5_000, 0o2070, 5_000, 0o660,
    ]);
    expect(await stat('/etc/hostname')).toMatchObject({ gid: before.gid, mode: before.mode });
  });

  it('waits while it is not there', async () => {
    const { volumes, storage } = world();
    const message =
      'error processing PVC default/c: failed to fetch PVC from API server: persistentvolumeclaims "c" not found';
    expect(await volumes.setUp(CLAIMED())).toEqual([{ volume: 'v', message, isThere: false }]);
    Object.assign(storage, boundPair({ local: { path: '/nowhere' } }));
    expect(await volumes.setUp(CLAIMED())).toMatchObject([{ message: 'path "/nowhere" does not exist' }]);
  });
});
