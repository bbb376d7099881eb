import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Entry,
  folderRoot,
  hostRoot,
  imageFault,
  machineRoot,
  type RootPlan,
} from '../../../../../agent/rules/oci/image-root.ts';

const entry = (path: string, more: Partial<Entry> = {}): Entry => ({
  path,
  kind: 'folder',
  mode: 0o755,
  uid: 0,
  gid: 0,
  bytes: 4096,
  ...more,
});
const link = (path: string, target: string): Entry => entry(path, { kind: 'link', target, mode: 0o777 });
const file = (path: string, bytes: number, mode = 0o644): Entry => entry(path, { kind: 'file', bytes, mode });

const mountPaths = ({ mounts }: RootPlan) => mounts.map(({ path, source }) => `${source} at ${path}`);
const folderPaths = ({ folders }: RootPlan) => folders.map(({ path }) => path).toSorted();

const DEBIAN: readonly Entry[] = [
  link('/bin', 'usr/bin'),
  entry('/boot'),
  entry('/dev'),
  entry('/etc'),
  entry('/home'),
  file('/initrd.img', 9e7),
  link('/lib', 'usr/lib'),
  link('/lib64', 'usr/lib64'),
  entry('/lost+found', { mode: 0o700 }),
  entry('/media'),
  entry('/opt'),
  entry('/proc', { mode: 0o555 }),
  entry('/root', { mode: 0o700 }),
  entry('/run'),
  link('/sbin', 'usr/sbin'),
  entry('/secret'),
  entry('/srv'),
  entry('/sys'),
  entry('/tmp', { mode: 0o1777 }),
  entry('/usr'),
  entry('/var'),
];
const PRIVATE = [
  '/dev',
  '/home',
  '/mnt',
  '/proc',
  '/root',
  '/run',
  '/srv',
  '/sys',
  '/tmp',
  '/var',
  '/var/tmp',
];

describe('the root of the image host', () => {
  it('has three folders and the links to programs, and all else is private and empty', () => {
    const plan = hostRoot(DEBIAN, [], ['/', '/proc', '/boot', '/home']);
    expect(mountPaths(plan)).toEqual(['/etc at /etc', '/opt at /opt', '/usr at /usr']);
    expect(plan.links).toEqual([
      { path: '/bin', target: 'usr/bin' },
      { path: '/lib', target: 'usr/lib' },
      { path: '/lib64', target: 'usr/lib64' },
      { path: '/sbin', target: 'usr/sbin' },
      { path: '/var/run', target: '/run' },
    ]);
    expect(folderPaths(plan)).toEqual(PRIVATE);
    expect(plan).toMatchObject({ copies: [], unseen: [] });
    expect(plan.mounts.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  it('lets all write to folders for that, and no others', () => {
    const open = hostRoot(DEBIAN, [], []).folders.filter(({ mode }) => (mode & 0o002) !== 0);
    expect(open).toEqual([
      { path: '/tmp', mode: 0o1777 },
      { path: '/var/tmp', mode: 0o1777 },
    ]);
  });

  it('has the folders of programs of older machines', () => {
    const plan = hostRoot(
      [entry('/bin'), entry('/lib32'), entry('/libx32'), entry('/library2'), entry('/usr')],
      [],
      [],
    );
    expect(mountPaths(plan)).toEqual([
      '/bin at /bin',
      '/lib32 at /lib32',
      '/libx32 at /libx32',
      '/library2 at /library2',
      '/usr at /usr',
    ]);
  });

  it('has what the settings name, outer folders first', () => {
    const named = [entry('/usr/local'), entry('/var/lib/tool', { uid: 7, gid: 8, mode: 0o2750 })];
    const plan = hostRoot([...named, ...DEBIAN], ['/var/lib/tool', '/secret', '/usr/local'], []);
    expect(mountPaths(plan)).toEqual([
      '/etc at /etc',
      '/opt at /opt',
      '/secret at /secret',
      '/usr at /usr',
      '/usr/local at /usr/local',
      '/var/lib/tool at /var/lib/tool',
    ]);
    expect(plan.mounts.at(-1)).toMatchObject({ uid: 7, gid: 8, mode: 0o2750 });
  });

  it('makes nothing of its own in what the settings name', () => {
    const plan = hostRoot(DEBIAN, ['/var', '/home'], []);
    expect(folderPaths(plan)).toEqual(PRIVATE.filter((path) => !path.startsWith('/var') && path !== '/home'));
    expect(plan.links).not.toContainEqual({ path: '/var/run', target: '/run' });
  });

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['a file system below a folder of the image', ['/', '/usr/local', '/home'], [], ['/usr/local']],
    ['one that the settings name', ['/usr/local', '/usr/local/a'], ['/usr/local'], ['/usr/local/a']],
    ['each once', ['/opt/a', '/opt/a'], [], ['/opt/a']],
    ['a folder of the image itself is seen', ['/usr', '/etc'], [], []],
    ['one that only begins alike', ['/usr2', '/optional'], [], []],
  ])('tells what is not seen: %s', (_what, mountPoints, named, expected) => {
    const entries = [...DEBIAN, ...named.map((path) => entry(path))];
    expect(hostRoot(entries, named, mountPoints).unseen).toEqual(expected);
  });
});

describe('the root of a privileged container of host', () => {
  it('is the machine', () => {
    const plan = machineRoot(DEBIAN);
    expect(mountPaths(plan)).toContain('/root at /root');
    expect(mountPaths(plan)).toContain('/secret at /secret');
    expect(mountPaths(plan).filter((one) => /dev|proc|sys/.test(one))).toEqual([]);
    expect(plan.mounts.every(({ isOpen }) => isOpen)).toBe(true);
    expect(folderPaths(plan)).toEqual(['/dev', '/mnt', '/proc', '/sys']);
  });
});

describe('the root of a folder', () => {
  it('has all that stands in it', () => {
    const plan = folderRoot(
      '/images/a',
      [
        entry('/app', { mode: 0o500, uid: 5, gid: 6 }),
        link('/var', 'data/var'),
        file('/init', 100, 0o4755),
        entry('/socket', { kind: 'other' }),
        entry('/proc'),
        link('/dev', '/app'),
        entry('/tmp', { mode: 0o1777 }),
      ],
      ['/', '/images/a/app/cache'],
    );
    expect(plan).toEqual({
      folders: ['/proc', '/sys', '/dev', '/run', '/home', '/root', '/srv', '/mnt'].map((path) => ({
        path,
        mode: 0o755,
      })),
      links: [{ path: '/var', target: 'data/var' }],
      copies: [{ path: '/init', source: '/images/a/init', mode: 0o755 }],
      mounts: [
        { path: '/app', source: '/images/a/app', mode: 0o500, uid: 5, gid: 6, isOpen: false },
        { path: '/tmp', source: '/images/a/tmp', mode: 0o1777, uid: 0, gid: 0, isOpen: false },
      ],
      unseen: ['/images/a/app/cache'],
    });
  });

  it.each([
    [2 ** 20, 0, false],
    [2 ** 20, 1, true],
    [2 ** 19, 2 ** 19, false],
  ])('with files of %d and %d bytes: is refused: %s', (first, second, isRefused) => {
    const plan = folderRoot('/i', [file('/a', first), file('/b', second), entry('/c', { bytes: 1e9 })], []);
    expect('fault' in plan).toBe(isRefused);
    if ('fault' in plan) expect(plan.fault).toContain(`have ${first + second} bytes`);
  });

  const OWN = ['/var/lib/rollcall-agent', '/srv/agent'];
  const ALLOWED = ['/srv/images', '/opt/one', '/srv/agent'];

  it.each(['/srv/images/a', '/srv/images', '/srv/images/a/b', '/opt/one'])('%s may be an image', (image) => {
    expect(imageFault(image, ALLOWED, OWN)).toBeUndefined();
  });

  it.each(['/srv', '/', '/srv/images2', '/opt/one2', '/etc', '/home/me/image'])(
    '%s may be none: the owner of the machine has not named it',
    (image) => {
      expect(imageFault(image, ALLOWED, OWN)).toContain(
        'in no folder that --image-folders of the agent names',
      );
      expect(imageFault(image, [], OWN)).toContain('in no folder');
    },
  );

  it.each(OWN)('%s may be none, nor what is above or below it', (folder) => {
    for (const image of [folder, `${folder}/pods`, dirname(folder)])
      expect(imageFault(image, [dirname(folder)], OWN)).toContain(`would show ${folder},`);
  });
});
