import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cyclesOf, folderIn, importGraph, importsOf, mutualFolders } from './import-graph.ts';

/**
 * Who may import whom: the same table as in CONTRIBUTING.md. A room may always import itself. Entries are rooms or files
 * of the project, or packages; `node:` stands for all built-in modules.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'shared/kube': [],
  'shared/client': ['shared/kube', 'node:'],
  bundling: ['esbuild', 'node:'],
  release: ['yaml', 'node:'],
  'shared/settings': ['shared/kube', 'zod/mini'],
  'shared/rules': ['shared/kube', 'shared/settings'],
  'shared/ports': ['shared/kube', 'shared/rules', 'zod/mini'],
  'shared/store': ['shared/kube', 'shared/ports', 'shared/rules', 'shared/settings'],
  'shared/adapters': [
    'shared/kube',
    'shared/ports',
    'shared/rules',
    'shared/settings',
    '@aws-sdk/',
    '@smithy/',
    'node:',
  ],
  // New objects are still made of an invented request.
  'shared/kinds/admission': ['shared/apiserver', 'shared/{kinds,kube,ports,rules,settings,store}'],
  'shared/kinds': ['shared/{kube,ports,rules,settings,store}'],
  'shared/apiserver': ['shared/{kinds,kube,ports,rules,settings,store}', 'jose', 'yaml', 'node:'],
  'agent/rules': ['shared/{kinds,kube,rules}'],
  'agent/ports': ['agent/rules', 'shared/kube', 'node:stream'],
  agent: ['shared/{client,kube,rules}', '@grpc/grpc-js', 'ws', 'yaml', 'node:'],
  'lambdas/runtime': [
    'shared/{kube,ports,settings}',
    'shared/apiserver/contract/http.ts',
    'zod/mini',
    '@middy/core',
    '@aws-lambda-powertools/',
    'node:',
  ],
  'lambdas/contract': ['shared/{kube,ports,rules,settings,store}'],
  'lambdas/owners': ['shared'],
  'lambdas/controllers.ts': ['lambdas/contract/controller.ts', 'lambdas/*/controller.ts'],
  'lambdas/change-router': [
    'shared',
    'lambdas/controllers.ts',
    'lambdas/contract',
    'lambdas/runtime',
    'zod/mini',
    'node:',
  ],
  'lambdas/drain': ['shared', 'lambdas/contract', 'lambdas/runtime', 'croner', 'zod/mini', 'node:'],
  lambdas: ['shared', 'lambdas/contract', 'lambdas/owners', 'lambdas/runtime', 'zod/mini', 'node:'],
  'shared/serving': [
    'shared/{adapters,apiserver,kube,ports,rules,settings}',
    '@peculiar/x509',
    'reflect-metadata',
    'ws',
    'yaml',
    'node:',
  ],
  cdk: [
    'bundling',
    'lambdas/controllers.ts',
    'lambdas/*/{controller,env,metrics}.ts',
    'lambdas/change-router/schedule.ts',
    'shared/settings',
    'shared/adapters/dynamodb/table/schema.ts',
    'shared/adapters/webhook/sink-name.ts',
    '@aws-sdk/',
    'aws-cdk-lib',
    'cdk-nag',
    'constructs',
    'esbuild',
    'node:',
  ],
  host: [
    'shared',
    'lambdas/contract/controller.ts',
    'lambdas/controllers.ts',
    'lambdas/change-router/{change,metrics,resync,route-changes,schedule}.ts',
    'lambdas/node-monitor/{message,metrics,queue,reconcile,report,ticks}.ts',
    'lambdas/taint-eviction/{message,queue}.ts',
    'yaml',
    'node:',
  ],
  gateway: ['shared', 'node:'],
  monitoring: ['lambdas/controllers.ts', 'yaml', 'node:'],
  relay: ['gateway', 'shared', 'node:'],
  simulation: [
    'host',
    'shared',
    'lambdas/contract',
    'lambdas/controllers.ts',
    'lambdas/change-router/{change,route-changes}.ts',
    'lambdas/node-monitor/{message,queue,reconcile,report}.ts',
    'yaml',
  ],
  'dashboard/wire': ['shared/kube', 'shared/rules/{node-actions,roll-call}'],
  'dashboard/page': ['dashboard/wire', 'shared/{kube,settings}', 'shared/rules/{history,roll-call}', 'lit'],
  'dashboard/server': ['dashboard/wire', 'gateway', 'shared', 'simulation', 'node:'],
  terminal: ['dashboard/server', 'gateway', 'shared', 'node:'],
  cli: [
    'agent',
    'bundling/{commit,small-heap}.ts',
    'dashboard/server',
    'gateway',
    'host',
    'relay',
    'shared',
    'simulation',
    'terminal',
    '@aws-sdk/',
    'node:',
  ],
};

const ROOMS = Object.keys(MAY_IMPORT);
const files = globSync(
  '{agent,bundling,cdk,cli,dashboard,gateway,host,lambdas,monitoring,relay,release,shared,simulation,terminal}/**/*.ts',
);

const roomOf = (path: string): string =>
  ROOMS.find((room) => path === room || path.startsWith(`${room}/`)) ?? path;

const matches = (target: string, allowed: string): boolean => {
  const pattern = allowed.split('*').map((part) => part.replaceAll(/[.+?^$()|[\]\\/]/g, '\\$&'));
  const oneOf = pattern
    .join('[^/]+')
    .replaceAll(/\{([^}]*)\}/g, (_, names) => `(${names.replaceAll(',', '|')})`);
  return new RegExp(`^${oneOf}(/|$)`).test(target) || (/[:/]$/.test(allowed) && target.startsWith(allowed));
};

const isAllowed = (path: string, target: string): boolean => {
  const room = roomOf(path);
  const lambda = room === 'lambdas' ? path.split('/').slice(0, 2).join('/') : room;
  return (
    target.startsWith(`${lambda}/`) || (MAY_IMPORT[room] ?? []).some((allowed) => matches(target, allowed))
  );
};

const graph = importGraph(files);
const edges = [...graph].flatMap(([path, targets]) => targets.map((target) => ({ path, target })));
const offenders = (wrong: (edge: { path: string; target: string }) => boolean): readonly string[] =>
  edges.filter(wrong).map(({ path, target }) => `${path} -> ${target}`);

const linesWith = (folder: string, pattern: RegExp, except: readonly string[] = []): readonly string[] =>
  files
    .filter((path) => path.startsWith(folder) && !except.includes(path))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line, index) => ({ path, line, number: index + 1 })),
    )
    .filter(({ line }) => pattern.test(line))
    .map(({ path, number, line }) => `${path}:${number}: ${line.trim()}`);

describe('imports', () => {
  it('follow the dependency table of CONTRIBUTING.md', () => {
    expect(offenders(({ path, target }) => !isAllowed(path, target))).toEqual([]);
  });

  it('take jose only for authentication', () => {
    expect(offenders(({ path, target }) => target === 'jose' && !path.endsWith('authentication.ts'))).toEqual(
      [],
    );
  });

  it('leave the AWS SDK to the adapters, the command line and the deployment', () => {
    const isSdk = (target: string): boolean => target.startsWith('@aws-sdk/');
    expect(
      offenders(({ path, target }) => isSdk(target) && !/^(shared\/adapters|cli|cdk)\//.test(path)),
    ).toEqual([]);
  });

  it('leave HTTPS to the one client, the servers, the probes of containers and event sinks', () => {
    // A probe speaks to a container, whose certificate nobody has signed; the client never does without a check.
    const probes = 'agent/adapters/probes/http-get.ts';
    const servers = ['shared/serving/http/secure-server.ts', 'agent/server/node-server.ts'];
    // Sinks have certificate authorities of their own, which fetch does not take.
    const sinks = 'shared/adapters/webhook/post-event.ts';
    const its = ['shared/client/transport.ts', ...servers, probes, sinks];
    expect(offenders(({ path, target }) => target === 'node:https' && !its.includes(path))).toEqual([]);
  });

  it('leave gRPC to the client of container runtimes', () => {
    const itsOwn = 'agent/adapters/cri/client.ts';
    expect(offenders(({ path, target }) => target === '@grpc/grpc-js' && path !== itsOwn)).toEqual([]);
  });

  it('leave WebSockets of the agent to its server', () => {
    const isOwn = (path: string): boolean => /^(agent\/server|shared\/serving)\//.test(path);
    expect(offenders(({ path, target }) => target === 'ws' && !isOwn(path))).toEqual([]);
  });

  it('leave SQLite to its adapters', () => {
    expect(
      offenders(
        ({ path, target }) => target === 'node:sqlite' && !path.startsWith('shared/adapters/sqlite/'),
      ),
    ).toEqual([]);
  });

  it('never go in a circle, types included', () => {
    expect(cyclesOf(importGraph([...files, ...globSync('test/**/*.ts')]))).toEqual([]);
  });

  it('would be caught in a circle that one of types alone closes', () => {
    const texts = {
      'shared/store/a.ts': "import { b } from './b.ts';",
      'shared/store/b.ts': "import type {\n  C,\n} from '../ports/c.ts';",
      'shared/ports/c.ts': "import type { A } from '../store/a.ts';",
      'shared/ports/d.ts': "import { c } from './c.ts';\nimport 'node:fs';",
      'shared/ports/e.ts': "export const e = () => import('./e.ts');",
    };
    const planted = new Map(Object.entries(texts).map(([path, text]) => [path, importsOf(path, text)]));
    expect(cyclesOf(planted).map((cycle) => cycle.toSorted())).toEqual([
      ['shared/ports/c.ts', 'shared/store/a.ts', 'shared/store/b.ts'],
      ['shared/ports/e.ts'],
    ]);
  });

  it('go one way between two folders of the API server', () => {
    expect(mutualFolders('shared/apiserver', graph)).toEqual([]);
    const planted = new Map([
      ['shared/apiserver/a/one.ts', ['shared/apiserver/b/two.ts', 'shared/apiserver/c/four.ts']],
      ['shared/apiserver/b/three.ts', ['shared/apiserver/a/five.ts', 'shared/apiserver/deps.ts']],
      ['shared/apiserver/deps.ts', ['shared/apiserver/b/two.ts']],
    ]);
    expect(mutualFolders('shared/apiserver', planted)).toEqual(['a <-> b']);
  });

  it('of an adapter stay in its folder, but for what adapters share', () => {
    const shared = [
      'shared/adapters/in-process/',
      'shared/adapters/system/',
      'shared/adapters/sqs/batches.ts',
    ];
    const adapterOf = (path: string): string => `shared/adapters/${folderIn('shared/adapters', path)}/`;
    expect(
      offenders(
        ({ path, target }) =>
          path.startsWith('shared/adapters/') &&
          target.startsWith('shared/adapters/') &&
          ![adapterOf(path), ...shared].some((allowed) => target.startsWith(allowed)),
      ),
    ).toEqual([]);
  });

  it('see every file of the source', () => {
    expect(files.length).toBeGreaterThan(50);
  });
});

describe('the source', () => {
  it('keeps rules free of clock, chance and environment', () => {
    const ambient = /Date\.now|new Date\(\)|Math\.random|process\.|setTimeout|console\./;
    expect(linesWith('agent/rules', ambient)).toEqual([]);
    expect(linesWith('shared/rules', ambient)).toEqual([]);
    expect(linesWith('shared/kube', ambient)).toEqual([]);
    expect(linesWith('shared/store', ambient)).toEqual([]);
  });

  it('reads the environment in one place of the runtime', () => {
    expect(linesWith('lambdas', /process\.env/, ['lambdas/runtime/parse-env.ts'])).toEqual([]);
    expect(linesWith('shared', /process\.env/)).toEqual([]);
  });

  it('numbers no parameter of a statement: Node 24 binds `?1` from 24.7 on only', () => {
    expect(linesWith('shared/adapters/sqlite', /\?\d/)).toEqual([]);
  });

  it('has neither default exports nor notes to self', () => {
    expect(linesWith('', /^export default|\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('has few files at the root of the API server, and none at that of local', () => {
    const loose = (room: string): readonly string[] =>
      files.filter((path) => path.startsWith(`${room}/`) && folderIn(room, path) === undefined);
    expect(loose('shared/apiserver').length).toBeLessThanOrEqual(12);
    expect(loose('local')).toEqual([]);
  });

  it('names no room after nothing in particular', () => {
    expect(files.filter((path) => /(^|\/)(utils?|helpers?|common|managers?)(\/|\.ts$)/.test(path))).toEqual(
      [],
    );
  });
});
