import { describe, expect, it } from 'vitest';
import { examine, worst } from '../../../../cli/doctor/checks.ts';
import type {
  CertificateFacts,
  Facts,
  FolderFacts,
  MachineFacts,
  ProgramFacts,
  ServerFacts,
  StackFacts,
} from '../../../../cli/doctor/facts/facts.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const DAY = 86_400_000;

const program = (more: Partial<ProgramFacts> = {}): Facts => ({
  program: {
    node: '24.1.0',
    version: '0.1.0',
    proxies: [],
    noProxy: '',
    clockStepMs: 0,
    now: NOW,
    ...more,
  },
});

const CERTIFICATE: CertificateFacts = {
  name: 'server.crt',
  notBefore: NOW - DAY,
  notAfter: NOW + 300 * DAY,
  host: { name: '127.0.0.1', isNamed: true, isSigned: true },
};

const folder = (more: Partial<FolderFacts> = {}): Facts => ({
  ...program(),
  folder: {
    path: '/f',
    state: 'writable',
    freeBytes: 5e9,
    freeInodes: 1e6,
    damaged: [],
    secrets: [{ path: '/f/ca.key', mode: 0o600 }],
    certificates: [CERTIFICATE],
    host: { isRunning: true, port: 6443, listener: 'node (process 1)' },
    ...more,
  },
});

const server = (more: Partial<ServerFacts> = {}, own: Partial<ProgramFacts> = {}): Facts => ({
  ...program(own),
  server: {
    url: 'https://api.example:6443',
    status: 200,
    version: 'v1.34.4+rollcall',
    offsetMs: 400,
    access: { isKnown: true, refused: [] },
    ...more,
  },
});

const OUTPUTS = {
  ApiUrl: 'https://a',
  HeartbeatUrl: 'https://h',
  SigningKeySecretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:k',
};
const stack = (more: Partial<StackFacts> = {}): Facts => ({
  ...program(),
  stack: { stack: 'Rollcall', region: 'us-east-1', outputs: OUTPUTS, ...more },
});

const RUNTIME = {
  name: 'runc',
  program: '/usr/sbin/runc',
  version: '1.1.5',
  conmon: '/usr/bin/conmon',
  conmonVersion: '2.1.6',
  hasOverlays: true,
  unseen: [],
};

const machine = (more: Partial<MachineFacts> = {}): Facts => ({
  ...program(),
  machine: {
    isRoot: true,
    isSwapOn: false,
    containerd: 'absent',
    hasFlock: true,
    isolation: { runtime: RUNTIME },
    hasRuntime: true,
    osRelease: 'ID=debian\n',
    freeBytes: 5e9,
    cgroups: { version: 2, controllers: ['cpu', 'memory', 'pids'] },
    ...more,
  },
});

const certificate = (more: Partial<CertificateFacts>): Facts =>
  folder({ certificates: [{ ...CERTIFICATE, ...more }] });

/** A stack with capacity for the beats of 1,000 nodes. */
const provisioned = (nodes?: number): Facts => ({
  ...server(nodes === undefined ? {} : { nodes }),
  ...stack({ outputs: { ...OUTPUTS, HeartbeatCapacity: '1000 nodes, each 10 s' } }),
});

describe('a doctor', () => {
  it.each([
    ['this program', program()],
    ['a host', folder()],
    ['a server', server()],
    ['a stack', stack()],
    ['its tables', stack({ tables: [] })],
    ['a fleet for which there is capacity', provisioned(1_100)],
    ['a machine', machine()],
    ['kubectl of the next release', server({}, { kubectl: 'v1.35.0' })],
    ['a proxy that does not count', server({}, { proxies: ['HTTPS_PROXY'], noProxy: 'a.b, .example' })],
    [
      'agents of this version and kubelets',
      server({ agents: { 'v1.34.4+rollcall.0.1.0': 3, 'v1.33.0': 2 } }),
    ],
    ['a file system that counts no inodes', folder({ freeInodes: Number.POSITIVE_INFINITY })],
  ])('finds nothing wrong with %s', (_, facts) => {
    const verdicts = examine(facts);
    expect(verdicts.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(worst(verdicts)).toBe('ok');
  });

  it.each<readonly [string, Facts, 'warn' | 'fail', string, RegExp, RegExp]>([
    ['an old Node.js', program({ node: '22.13.0' }), 'fail', 'Node.js', /too old/, /npm install node@24/],
    ['Node.js 23', program({ node: '23.11.0' }), 'fail', 'Node.js', /23\.11\.0/, /24/],
    ['an old kubectl', server({}, { kubectl: 'v1.30.1' }), 'warn', 'kubectl', /4 releases/, /kubectl 1\.34/],
    [
      'agents of another version',
      server({ agents: { 'v1.34.4+rollcall.0.0.9': 2 } }),
      ...(['warn', 'agents', /2 of version 0\.0\.9; this is 0\.1\.0/, /install/] as const),
    ],
    [
      'a proxy',
      server({}, { proxies: ['HTTPS_PROXY'] }),
      'warn',
      'proxy',
      /HTTPS_PROXY/,
      /NO_PROXY=api\.example/,
    ],
    ['a clock one hour behind', server({ offsetMs: 3_600_000 }), 'fail', 'clock', /3600 s behind/, /set it/],
    ['a clock one hour ahead', server({ offsetMs: -3_600_000 }), 'fail', 'clock', /ahead of/, /set it/],
    ['a clock ten seconds off', server({ offsetMs: 10_000 }), 'warn', 'clock', /10 s behind/, /set it/],
    ['a clock that is set', program({ clockStepMs: -90_000 }), 'warn', 'clock', /set by 90 s/, /set it/],
    ['no folder', folder({ state: 'missing' }), 'warn', 'folder', /not there/, /rollcall serve/],
    ['a read-only folder', folder({ state: 'read-only' }), 'fail', 'folder', /read-only/, /--folder/],
    ["another user's folder", folder({ state: 'unwritable' }), 'fail', 'folder', /not writable/, /owner/],
    ['a file in its place', folder({ state: 'no folder' }), 'fail', 'folder', /is no folder/, /remove/],
    ['a full disk', folder({ freeBytes: 1e6 }), 'fail', 'disk', /is full/, /free some space/],
    ['a disk that is nearly full', folder({ freeBytes: 5e8 }), 'warn', 'disk', /0\.5 GB/, /free/],
    ['no inodes', folder({ freeInodes: 0 }), 'fail', 'disk', /0 free inodes/, /small files/],
    [
      'a key that all may read',
      folder({ secrets: [{ path: '/f/ca.key', mode: 0o644 }] }),
      ...(['fail', 'secrets', /ca\.key has mode 0644/, /chmod 600 '\/f\/ca\.key'.*rotate-key/] as const),
    ],
    [
      'a kubeconfig that the group may read',
      { ...program(), kubeconfig: { path: '/k', mode: 0o640 } },
      ...(['fail', 'secrets', /\/k has mode 0640/, /chmod/] as const),
    ],
    [
      'an expired certificate',
      certificate({ notAfter: NOW - 1 }),
      'fail',
      'certificate',
      /expired/,
      /server\.key/,
    ],
    [
      'one of tomorrow',
      certificate({ notBefore: NOW + DAY }),
      'fail',
      'certificate',
      /counts from 2026-06-02/,
      /clock/,
    ],
    ['one for a week', certificate({ notAfter: NOW + 7 * DAY }), 'warn', 'certificate', /7 days/, /restart/],
    [
      'an authority for a week',
      certificate({ name: 'ca.crt', notAfter: NOW + 7 * DAY }),
      ...(['warn', 'certificate', /ca\.crt expires/, /delete ca\.crt and ca\.key/] as const),
    ],
    [
      'one of another authority',
      certificate({ host: { name: 'a', isNamed: true, isSigned: false } }),
      ...(['fail', 'certificate', /not signed by ca\.crt/, /delete server\.crt/] as const),
    ],
    [
      'one for another name',
      certificate({ host: { name: 'a.b', isNamed: false, isSigned: true } }),
      ...(['fail', 'certificate', /not for a\.b/, /--host-names a\.b/] as const),
    ],
    ['a damaged one', folder({ damaged: ['ca.crt'] }), 'fail', 'certificate', /ca\.crt is damaged/, /copy/],
    [
      'a damaged key',
      folder({ damaged: ['signing-key.json'] }),
      ...(['fail', 'files', /signing-key\.json is damaged/, /all tokens are void/] as const),
    ],
    [
      'a damaged record',
      folder({ damaged: ['host.json'] }),
      ...(['fail', 'files', /host\.json is damaged/, /start the host again/] as const),
    ],
    [
      'a host that is stopped',
      folder({ host: { isRunning: false, port: 1 } }),
      'warn',
      'port',
      /no host runs/,
      /serve/,
    ],
    [
      'a port that somebody has',
      folder({ host: { isRunning: false, port: 80, listener: 'nginx (process 7)' } }),
      ...(['fail', 'port', /nginx \(process 7\) has port 80/, /end that program/] as const),
    ],
    [
      'a port that an unknown has',
      folder({ host: { isRunning: false, port: 80, listener: '' } }),
      ...(['fail', 'port', /another program has port 80/, /--listen/] as const),
    ],
    [
      'a deaf host',
      folder({ host: { isRunning: true, port: 80 } }),
      'fail',
      'port',
      /nobody listens/,
      /start it again/,
    ],
    [
      'an unknown name',
      server({ dnsError: 'ENOTFOUND' }),
      'fail',
      'server',
      /not known \(ENOTFOUND\)/,
      /DNS/,
    ],
    ['no server', server({ error: 'ECONNREFUSED' }), 'fail', 'server', /nothing listens/, /port/],
    ['silence', server({ error: 'NO_ANSWER' }), 'fail', 'server', /in time/, /firewall/],
    [
      'another authority',
      server({ error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
      ...(['fail', 'server', /authority that is known here/, /ca\.crt again/] as const),
    ],
    [
      'another name',
      server({ error: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
      'fail',
      'server',
      /other names/,
      /--host-names/,
    ],
    ['an error that nobody has met', server({ error: 'EODD' }), 'fail', 'server', /EODD/, /address/],
    ['a server that is not ready', server({ status: 500 }), 'fail', 'server', /answers with 500/, /log/],
    [
      'a token that is refused',
      server({ status: 401, access: { isKnown: false, refused: [] } }),
      ...(['fail', 'access', /token is refused/, /rollcall token/] as const),
    ],
    [
      'a token that may not do all',
      server({ access: { isKnown: true, refused: [{ permission: 'patch nodes', commands: 'drain' }] } }),
      ...(['warn', 'access', /may not patch nodes: drain will/, /--admin/] as const),
    ],
    [
      'no region',
      { ...program(), stack: { stack: 'Rollcall', outputs: {} } },
      ...(['fail', 'AWS', /no region/, /AWS_REGION/] as const),
    ],
    [
      'no credentials',
      stack({ error: 'Could not load credentials from any providers' }),
      ...(['fail', 'AWS', /cannot be read/, /AWS_PROFILE/] as const),
    ],
    [
      'no LocalStack',
      stack({ error: 'connect ECONNREFUSED' }),
      'fail',
      'AWS',
      /ECONNREFUSED/,
      /AWS_ENDPOINT_URL/,
    ],
    [
      'no stack',
      stack({ error: 'Stack with id Rollcall does not exist' }),
      'fail',
      'AWS',
      /exist/,
      /cdk deploy/,
    ],
    ['no rights', stack({ error: 'AccessDenied' }), 'fail', 'AWS', /AccessDenied/, /DescribeStacks/],
    ['another stack', stack({ outputs: {} }), 'fail', 'AWS', /no ApiUrl, HeartbeatUrl/, /Rollcall/],
    ['no key', stack({ secretError: 'AccessDenied' }), 'fail', 'AWS', /key cannot be read/, /GetSecretValue/],
    [
      'no rights on tables',
      stack({ tables: 'AccessDenied' }),
      'warn',
      'AWS',
      /AccessDenied/,
      /DescribeTable/,
    ],
    [
      'a table without TTL',
      stack({ tables: [{ table: 'Rollcall-control', words: 'has no TTL', repair: { kind: 'ttl' } }] }),
      ...(['warn', 'AWS', /Rollcall-control has no TTL/, /^rollcall aws repair --stack Rollcall$/] as const),
    ],
    [
      'too little capacity for beats',
      provisioned(1_200),
      ...([
        'warn',
        'AWS',
        /1200 nodes take 80 % of the capacity for 1000/,
        /heartbeatCapacity=1200/,
      ] as const),
    ],
    [
      'nodes that cannot be counted',
      provisioned(),
      ...(['warn', 'AWS', /not known how many nodes there are.*the capacity for 1000/, /again/] as const),
    ],
    [
      'no table',
      stack({ tables: [{ table: 'Rollcall-control', words: 'does not exist' }] }),
      ...(['fail', 'AWS', /Rollcall-control does not exist/, /by hand/] as const),
    ],
    ['another user', machine({ isRoot: false }), 'warn', 'user', /not root/, /as root/],
    [
      'no controller for memory',
      machine({ cgroups: { version: 2, controllers: ['cpu', 'pids'] } }),
      ...(['warn', 'cgroups', /lacks memory/, /boot/] as const),
    ],
    ['swap', machine({ isSwapOn: true }), 'warn', 'swap', /does not start/, /fail-swap-on/],
    [
      'a closed containerd',
      machine({ containerd: 'refuses' }),
      'warn',
      'containerd',
      /cannot connect/,
      /root/,
    ],
    ['no flock', machine({ hasFlock: false }), 'fail', 'flock', /does not start/, /util-linux/],
    ['no room for pods', machine({ freeBytes: 1 }), 'fail', 'disk of pods', /full/, /space/],
  ])('names %s', (_, facts, status, check, words, remedy) => {
    const found = examine(facts).filter((verdict) => verdict.status !== 'ok');
    expect(found).toEqual([
      { check, status, words: expect.stringMatching(words), remedy: expect.stringMatching(remedy) },
    ]);
    expect(worst(found)).toBe(status);
  });

  const WORKS = 'runc 1.1.5 with conmon 2.1.6';
  const NO_OVERLAYS = 'without overlays: containers need readOnlyRootFilesystem: true';
  const isolationOf = (more: Partial<MachineFacts>) =>
    examine(machine(more)).find(({ check }) => check === 'isolation');

  it.each<[string, Partial<MachineFacts>, string, string]>([
    ['the runtime that works', {}, 'ok', WORKS],
    ['one of a user', { isRoot: false }, 'ok', `${WORKS}, in a namespace of users`],
    [
      'a disk without overlays',
      { isolation: { runtime: { ...RUNTIME, hasOverlays: false } } },
      'warn',
      `${WORKS}, ${NO_OVERLAYS}`,
    ],
    [
      'what the image host does not show',
      { isolation: { runtime: { ...RUNTIME, unseen: ['/usr/local', '/opt/x'] } } },
      'ok',
      `${WORKS}; the image "host" does not show /usr/local, /opt/x`,
    ],
    [
      'the words of the programs that failed, on one line',
      { isolation: { faults: ['runc 1.1: no\nroot', 'crun 1.8: hybrid'] } },
      'fail',
      String.raw`no OCI runtime isolates containers here: runc 1.1: no\nroot; crun 1.8: hybrid: the agent does not start`,
    ],
  ])('tells of the isolation %s', (_what, more, status, words) => {
    expect(isolationOf(more)).toMatchObject({ status, words });
  });

  const UNISOLATED = 'give the agent --unisolated, with which nothing isolates pods';

  it.each<[string, Partial<MachineFacts>, string]>([
    ['programs that are not there', { hasRuntime: false }, `apt-get install runc conmon; or ${UNISOLATED}`],
    [
      'those of an unknown distribution',
      { hasRuntime: false, osRelease: '' },
      `install the packages runc and conmon; or ${UNISOLATED}`,
    ],
    ['programs that fail', {}, `mend what these words say; or ${UNISOLATED}`],
    [
      'a machine with containerd',
      { containerd: 'answers' },
      `mend what these words say; or give the agent --container-runtime-endpoint unix:///run/containerd/containerd.sock; or ${UNISOLATED}`,
    ],
  ])('names the ways out of %s', (_what, more, remedy) => {
    expect(isolationOf({ isolation: { faults: ['no'] }, ...more })).toMatchObject({ remedy });
  });

  it('names machines without control groups', () => {
    const { cgroups: _, ...rest } = machine().machine ?? ({} as MachineFacts);
    expect(examine({ ...program(), machine: rest })).toContainEqual(
      expect.objectContaining({ check: 'cgroups', status: 'warn' }),
    );
  });
});
