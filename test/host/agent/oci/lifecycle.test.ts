/** Containers of a real runc and conmon, and what an agent finds of them after each crash. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndWatch } from '../../../../agent/adapters/containers/end-watch.ts';
import { createPlaces, type Place } from '../../../../agent/adapters/containers/places.ts';
import { writePod } from '../../../../agent/adapters/containers/pod-record.ts';
import { rotateLog } from '../../../../agent/adapters/cri/logs.ts';
import { findCgroups } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import { createControlGroups } from '../../../../agent/adapters/linux/groups/control-groups.ts';
import { readBootId } from '../../../../agent/adapters/linux/processes.ts';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import { agentFacts } from '../../../../agent/adapters/oci-runtime/agent-facts.ts';
import { keeperPid, killKeeper } from '../../../../agent/adapters/oci-runtime/bundles/conmon.ts';
import { describe as described } from '../../../../agent/adapters/oci-runtime/containers/describe.ts';
import type { OciParts } from '../../../../agent/adapters/oci-runtime/containers/parts.ts';
import {
  attemptFolder,
  type OciRecord,
  readRecord,
} from '../../../../agent/adapters/oci-runtime/containers/records.ts';
import { removeContainer } from '../../../../agent/adapters/oci-runtime/containers/remove.ts';
import { readRuntimePod } from '../../../../agent/adapters/oci-runtime/containers/runtime-pods.ts';
import { settle } from '../../../../agent/adapters/oci-runtime/containers/settle.ts';
import { startContainer } from '../../../../agent/adapters/oci-runtime/containers/start.ts';
import { stopContainer } from '../../../../agent/adapters/oci-runtime/containers/stop.ts';
import { attach } from '../../../../agent/adapters/oci-runtime/streams/attach.ts';
import { execIn } from '../../../../agent/adapters/oci-runtime/streams/exec.ts';
import { execStream } from '../../../../agent/adapters/oci-runtime/streams/exec-stream.ts';
import { reopenLog } from '../../../../agent/adapters/oci-runtime/streams/keeper-control.ts';
import { createLane } from '../../../../agent/lane.ts';
import type { ContainerSpec, Mount } from '../../../../agent/ports/machine/runtime.ts';
import { criLine } from '../../../../agent/rules/logs/cri-line.ts';
import { cgroupMountsIn } from '../../../../agent/rules/stats/cgroup-layout.ts';
import { safeSubPath } from '../../../../agent/volumes/sub-path.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';
import { podOf } from '../../../support/agent/pods/pod-world.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: containers and crashes: ${missing}\n`);
const UID = 'uid-1';
/** The first byte of a file that is compressed. */
const GZIP = 0x1f;

const textOf = async (stream: Readable | undefined): Promise<string> => (stream ? await text(stream) : '');

const isRunning = (mark: string): boolean =>
  spawnSync('pgrep', ['-f', `^sleep ${mark}`]).stdout.toString() !== '';

describe.runIf(missing === undefined || isComplete)(
  'a container of the OCI runtime',
  { timeout: 120_000 },
  () => {
    let root: string;
    let group: string;
    const started: Place[] = [];
    let parts: OciParts;

    /** Those of an agent that has just begun. */
    const newParts = (): OciParts => {
      const program = '/usr/sbin/runc';
      return {
        programs: {
          runtime: { program, stateFolder: join(root, 'state'), callMs: 60_000 },
          conmon: '/usr/bin/conmon',
          hasOverlays: true,
          perl: '/usr/bin/perl',
          terminal: { script: '/usr/bin/script', stty: '/usr/bin/stty' },
        },
        places: createPlaces(join(root, 'runtime'), group, 'runc'),
        groups: createControlGroups(group, '/', false, 'runtime'),
        trash: createTrash({ folder: join(root, 'trash'), log: () => undefined }),
        bootId: readBootId(),
        agent: agentFacts({
          isVersion2: findCgroups().mounts.memory?.version === 'v2',
          boundsSwap: false,
          killsSingleProcess: true,
        }),
        seccomp: { profiles: root, isDefault: true },
        hostImagePaths: [],
        imageFolders: [],
        privateFolders: [],
        ends: createEndWatch(
          async () => false,
          () => undefined,
          ({ folder }) => join(folder, 'exit'),
        ),
        ended: new Map(),
        logs: { maxSize: 2 ** 20, maxFiles: 3 },
        now: Date.now,
        uptime: () => performance.now(),
        starting: new Set(),
        starts: new Map(),
        ran: new Set(),
        running: new Map(),
        reaped: new Set(),
        turns: new Map(),
        alone: new Map(),
        looks: createLane(4),
      };
    };
    const specOf = (name: string, script: string, more: Partial<ContainerSpec> = {}): ContainerSpec => {
      const container = { name, image: 'host', command: ['/bin/sh', '-c', script] };
      const pod = podOf('p', { containers: [container] });
      return {
        pod: { namespace: 'default', name: 'p', uid: UID },
        name,
        restartCount: 0,
        image: 'host',
        command: container.command,
        source: { pod, container, command: container.command, args: [] },
        environment: {},
        mounts: [],
        bounds: { pidsLimit: 64 },
        oomScoreAdjust: 1000,
        terminationMessagePath: '/dev/termination-log',
        ...more,
      };
    };
    const start = async (spec: ContainerSpec): Promise<Place> => {
      const place = parts.places.container({ podUid: UID, name: spec.name, restartCount: spec.restartCount });
      started.push(place);
      await startContainer(parts, place, spec, Date.now());
      return place;
    };
    const ended = (place: Place) =>
      eventually('it has ended', 60_000, async () => {
        const found = await settle(parts, place);
        return found?.is === 'ended' ? found : undefined;
      });
    const logOf = (place: Place): string => readFileSync(readRecord(place)?.logFile ?? '', 'utf8');

    /** The runtime makes groups in each tree of the machine. */
    const groupFolders = (): readonly string[] =>
      cgroupMountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
        .map(({ mountPoint }) => join(mountPoint, group))
        .filter((folder) => existsSync(folder));

    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'rollcall-oci-'));
      group = `/${basename(root)}`;
      mkdirSync(join(root, 'state'), { mode: 0o700 });
      parts = newParts();
      const folder = parts.places.podFolder(UID);
      mkdirSync(folder, { recursive: true });
      const pod = { namespace: 'default', name: 'p', uid: UID };
      const spec = { pod, hostname: 'p', bounds: {}, logFolder: join(root, 'logs') };
      writePod(folder, { spec, createdAt: 1, bootId: parts.bootId, slot: 3 });
    });
    afterEach(async () => {
      for (const place of started.splice(0)) await stopContainer(parts, place, 0);
      parts.groups.remove(group);
      expect(groupFolders()).toEqual([]);
      rmSync(root, { recursive: true, force: true });
    });

    it('runs, says how it ended, and is not started a second time', async () => {
      const spec = specOf('c', 'echo out; echo err >&2; echo last > /dev/termination-log; exit 7');
      const place = await start(spec);
      expect(await ended(place)).toMatchObject({ code: 7, isUnknown: false, isOutOfMemory: false });
      await start(spec);
      expect(logOf(place).match(/ out$/gm)).toHaveLength(1);
      expect(logOf(place)).toMatch(/stderr F err/);
      const record = readRecord(place);
      const shown = record && (await described(place, record, await ended(place)));
      expect(shown).toMatchObject({ state: 'exited', exitCode: 7, reason: 'Error', message: 'last\n' });
    });

    it('runs on without its agent, is taken up by the next one, and ends by its stop signal', async () => {
      const place = await start(
        specOf('c', 'trap "echo bye; exit 3" TERM; echo here; while :; do sleep 0.1; done'),
      );
      parts = newParts();
      expect(await settle(parts, place)).toEqual({ is: 'running' });
      await eventually('it says so', 60_000, async () => logOf(place).includes('here'));
      await stopContainer(parts, place, 30);
      expect(await settle(parts, place)).toMatchObject({ is: 'ended', code: 3 });
      expect(logOf(place)).toContain('bye');
      expect(parts.groups.exists(place.group)).toBe(false);
    });

    it('is killed when it ignores its stop signal, with all that it has started', async () => {
      const place = await start(specOf('c', 'trap "" TERM; setsid sleep 1000 & while :; do sleep 0.1; done'));
      await stopContainer(parts, place, 1);
      expect(await settle(parts, place)).toMatchObject({ is: 'ended', code: 137, isUnknown: false });
    });

    it('of the process namespace of the machine leaves no process that has left its session', async () => {
      const mark = `${1_000_000 + process.pid}`;
      const script = `setsid sleep ${mark} & sleep 0.3; exit 0`;
      const spec = specOf('c', script);
      const source = spec.source && {
        ...spec.source,
        pod: podOf('p', { ...spec.source.pod.spec, hostPID: true }),
      };
      const place = await start({ ...spec, ...(source && { source }) });
      expect(await ended(place)).toMatchObject({ code: 0 });
      expect(isRunning(mark)).toBe(false);
    });

    it('is lost with its keeper, once: it is ended, and its end is not known', async () => {
      const place = await start(specOf('c', 'exec sleep 1000'));
      const record = readRecord(place);
      await killKeeper(attemptFolder(place, record ?? { attempt: '' }));
      const end = await ended(place);
      expect(end).toMatchObject({ code: 255, isUnknown: true });
      parts = newParts();
      expect(await settle(parts, place)).toEqual(end);
      expect(parts.groups.exists(place.group)).toBe(false);
    });

    it('is asked of the runtime once by each agent: then two living processes say that it runs', async () => {
      const place = await start(specOf('c', 'exec sleep 1000'));
      parts = newParts();
      const { runtime } = parts.programs;
      const deaf = { ...parts.programs, runtime: { ...runtime, program: '/bin/false' } };
      const stateBy = async (by: OciParts) => (await readRuntimePod(by, UID))?.containers[0]?.state;
      expect(await stateBy({ ...parts, programs: deaf })).toBe('unknown');
      expect(await stateBy(parts)).toBe('running');
      expect(await stateBy({ ...parts, programs: deaf })).toBe('running');
      const record = readRecord(place);
      const attempt = attemptFolder(place, record ?? { attempt: '' });
      await killKeeper(attempt);
      // A runtime that fails hides neither this container nor others.
      const byDeaf = () => stateBy({ ...parts, programs: deaf });
      await eventually('it is not known', 60_000, async () => (await byDeaf()) === 'unknown');
      await ended(place);
      expect(await stateBy(parts)).toBe('exited');
      await expect(reopenLog(attempt, record?.logFile ?? '')).resolves.toBeUndefined();
    });

    it('is taken away once, however many find that it has ended', async () => {
      const place = await start(specOf('c', 'sleep 0.2; setsid sleep 1000 & exit 4'));
      const all = Array.from({ length: 6 }, () => ended(place));
      for (const end of await Promise.all(all)) expect(end).toMatchObject({ code: 4 });
    });

    it('whose keeper is lost is removed while others look at it', async () => {
      const place = await start(specOf('c', 'sleep 1000'));
      await killKeeper(attemptFolder(place, readRecord(place) as OciRecord));
      parts.running.clear();
      const looks = Array.from({ length: 8 }, () => settle(parts, place));
      const removed = removeContainer(parts, place);
      const late = Array.from({ length: 8 }, () => settle(parts, place));
      await removed;
      // None rejects, whatever it saw of the keeper's end.
      await Promise.all([...looks, ...late]);
      expect(await settle(parts, place)).toBeUndefined();
      expect(existsSync(place.folder)).toBe(false);
    });

    it('that wants too much memory says so', async () => {
      const script = 'exec perl -e \'my $x = "x" x (200 * 1024 * 1024); sleep 1000\'';
      const place = await start(specOf('c', script, { bounds: { memoryLimitBytes: 32 * 2 ** 20 } }));
      expect(await ended(place)).toMatchObject({ code: 137, isOutOfMemory: true });
    });

    it('runs commands: their output and code, those that are not there, and those that do not end', async () => {
      const place = await start(specOf('c', 'exec sleep 1000', { environment: { WHERE: 'there' } }));
      const run = (script: string, ms = 60_000) => execIn(parts, place, ['/bin/sh', '-c', script], ms);
      expect(await run('echo "$WHERE"; echo err >&2; exit 5')).toEqual({
        exitCode: 5,
        output: 'there\nerr\n',
      });
      await expect(execIn(parts, place, ['/no/such/program'], 60_000)).rejects.toThrow('no such file');
      const mark = `${2_000_000 + process.pid}`;
      expect(await run(`setsid sleep ${mark} & echo begun; sleep ${mark}`, 1_000)).toEqual({
        output: 'begun\n',
      });
      await eventually('nothing of it is left', 60_000, async () => !isRunning(mark));
      const pids = (await run('cat /proc/self/status | grep -E "^(Uid|Seccomp|NoNewPrivs):"')).output;
      expect(pids.replaceAll(/\s+/g, ' ')).toMatch(/Uid: 2000000003 .*NoNewPrivs: 1 Seccomp: 2/);
    });

    it('streams commands: outputs apart, input, code, a terminal of a size, and an end with the client', async () => {
      const place = await start(specOf('c', 'exec sleep 1000'));
      const all = { stdin: true, stdout: true, stderr: true, tty: false };
      const run = (script: string, wanted = all) =>
        execStream(parts, place, ['/bin/sh', '-c', script], wanted);
      const plain = await run('read line; echo "got $line"; echo err >&2; exit 4');
      plain.stdin?.end('hello\n');
      const [out, err, code] = await Promise.all([textOf(plain.stdout), textOf(plain.stderr), plain.ended]);
      expect([out, err, code]).toEqual(['got hello\n', 'err\n', 4]);
      const gone = await execStream(parts, place, ['/no/such/program'], { ...all, stdin: false });
      await expect(gone.ended).rejects.toThrow('no such file');
      const terminal = await run('while [ "$(stty size)" != "33 44" ]; do sleep 0.1; done; tty; exit 6', {
        ...all,
        stderr: false,
        tty: true,
      });
      terminal.resize({ width: 44, height: 33 });
      const [shown, end] = await Promise.all([textOf(terminal.stdout), terminal.ended]);
      expect([shown.trim(), end]).toEqual(['/dev/pts/0', 6]);
      const mark = `${3_000_000 + process.pid}`;
      const left = await run(`setsid sleep ${mark} & sleep ${mark}`);
      await eventually('it runs', 60_000, async () => isRunning(mark));
      left.end();
      await left.ended;
      await eventually('nothing of it is left', 60_000, async () => !isRunning(mark));
    });

    it('is attached to: what it writes from then on, its input, which ends with its first client', async () => {
      const input = { hasInput: true, endsWithClient: true, isTerminal: false };
      const script = 'echo before; while read line; do echo "got $line"; done; echo over';
      const place = await start(specOf('c', script, { input }));
      await eventually('it has begun', 60_000, async () => logOf(place).includes('before'));
      const wanted = { stdin: true, stdout: true, stderr: true, tty: false };
      const client = await attach(parts, place, wanted);
      const said = textOf(client.stdout);
      client.stdin?.end('one\ntwo\n');
      expect(await ended(place)).toMatchObject({ code: 0 });
      expect(await said).toBe('got one\ngot two\nover\n');
      expect(await client.ended).toBe(0);
    });

    it('has a terminal of its own, of the size that its client has', async () => {
      const input = { hasInput: true, endsWithClient: false, isTerminal: true };
      const script =
        'while [ "$(stty size)" != "33 44" ]; do sleep 0.1; done; read line; echo "got $line"; exit 9';
      const place = await start(specOf('c', script, { input }));
      const client = await attach(parts, place, { stdin: true, stdout: true, stderr: false, tty: true });
      // A kubectl sends two sizes at once, and a keeper that has no processor meanwhile finds both.
      const keeper = (await keeperPid(attemptFolder(place, readRecord(place) as OciRecord))) ?? 0;
      process.kill(keeper, 'SIGSTOP');
      client.resize({ width: 45, height: 34 });
      client.resize({ width: 44, height: 33 });
      process.kill(keeper, 'SIGCONT');
      client.stdin?.write('hello\n');
      expect(await ended(place)).toMatchObject({ code: 9 });
      client.end();
      expect(logOf(place)).toContain('got hello');
    });

    it('has a log that is rotated while it writes, without loss', async () => {
      const pause = '[ $((i % 2000)) != 0 ] || sleep 0.3';
      const script = `for i in $(seq 1 20000); do echo "line $i"; ${pause}; done; echo done; exec sleep 1000`;
      const place = await start(specOf('c', script));
      const record = readRecord(place);
      if (!record) throw new Error('there is no record');
      const reopen = (): Promise<void> => reopenLog(attemptFolder(place, record), record.logFile);
      const bounds = { maxSize: 50_000, maxFiles: 100 };
      const folder = dirname(record.logFile);
      // The newest has the shortest name, and is the first by name.
      const texts = (): readonly string[] =>
        [...readdirSync(folder).toSorted().slice(1), basename(record.logFile)].map((name) => {
          const bytes = readFileSync(join(folder, name));
          return (bytes[0] === GZIP ? gunzipSync(bytes) : bytes).toString();
        });
      await eventually('all is written', 60_000, async () => {
        await rotateLog(record.logFile, bounds, Date.now(), reopen);
        return texts().some((one) => one.includes(' done'));
      });
      const written = texts()
        .join('')
        .split(/(?<=\n)/);
      const read = written.map((line) => Buffer.from(criLine(Buffer.from(line))?.text ?? '').toString());
      expect(read.join('')).toBe(
        `${Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}\n`).join('')}done\n`,
      );
      expect(texts().length).toBeGreaterThan(2);
    });

    describe('with a part of a volume', () => {
      let volume: string;
      const partOf = async (name: string): Promise<Mount> => {
        const { path, identity } = await safeSubPath(volume, name);
        return { source: path, identity, target: '/part', isReadOnly: false };
      };
      const machineMounts = (): string => readFileSync('/proc/self/mountinfo', 'utf8');

      beforeEach(() => {
        volume = join(root, 'volume');
        mkdirSync(join(volume, 'folder/inner'), { recursive: true });
        writeFileSync(join(volume, 'folder/inner/passwd'), 'mine\n');
      });

      it.each([
        ['folder/inner', 'cat /part/passwd'],
        ['folder/inner/passwd', 'cat /part'],
      ])('has it, and the machine keeps no mount: %s', async (part, script) => {
        const place = await start(specOf('c', script, { mounts: [await partOf(part)] }));
        expect(machineMounts()).not.toContain(root);
        expect(await ended(place)).toMatchObject({ code: 0 });
        expect(logOf(place)).toContain(' mine');
      });

      it('has what was looked at, although a program puts a link to the machine there while it is created', async () => {
        const wrapper = join(root, 'runc');
        const swap = `mv ${volume}/folder ${volume}/away; mkdir ${volume}/folder; ln -s /etc ${volume}/folder/inner`;
        const onCreate = `for one; do if [ "$one" = create ] && [ ! -e ${volume}/away ]; then ${swap}; fi; done`;
        writeFileSync(wrapper, `#!/bin/sh\n${onCreate}\nexec ${parts.programs.runtime.program} "$@"\n`, {
          mode: 0o755,
        });
        const { programs } = parts;
        parts = { ...parts, programs: { ...programs, runtime: { ...programs.runtime, program: wrapper } } };
        const place = await start(
          specOf('c', 'cat /part/passwd', { mounts: [await partOf('folder/inner')] }),
        );
        expect(await ended(place)).toMatchObject({ code: 0 });
        expect(existsSync(join(volume, 'away'))).toBe(true);
        expect(logOf(place)).toMatch(/^\S+ stdout F mine\n$/);
      });

      it.each([
        ['another folder', () => mkdirSync(join(volume, 'folder/inner'))],
        ['a link on the way', () => symlinkSync(join(volume, 'away'), join(volume, 'folder'))],
        ['nothing', () => undefined],
      ])('does not start with %s in its place', async (what, put) => {
        const mount = await partOf('folder/inner');
        const moved = what === 'a link on the way' ? 'folder' : 'folder/inner';
        renameSync(join(volume, moved), join(volume, 'away'));
        put();
        await expect(start(specOf('c', 'true', { mounts: [mount] }))).rejects.toThrow('was exchanged');
        expect(machineMounts()).not.toContain(root);
      });
    });

    it('that cannot be created is not kept, and has the words of the runtime', async () => {
      const spec = { ...specOf('c', 'true'), command: ['/no/such/program'] };
      await expect(start(spec)).rejects.toMatchObject({
        reason: 'CreateContainerError',
        message: expect.stringContaining('no such file'),
      });
      const place = parts.places.container({ podUid: UID, name: 'c', restartCount: 0 });
      expect(existsSync(place.folder)).toBe(false);
      await start(specOf('c', 'exit 0'));
      expect(await ended(place)).toMatchObject({ code: 0 });
    });
  },
);
