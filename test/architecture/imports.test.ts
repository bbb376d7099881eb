import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cyclesOf, folderIn, importGraph, importsOf, mutualFolders } from './import-graph.ts';

/**
 * Who may import whom: the same table as in CONTRIBUTING.md. A room may always import itself. Entries are rooms or files
 * of the project, or packages; `node:` stands for all built-in modules.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'shared/api': [],
  'shared/client': ['shared/api', 'node:'],
  'shared/config': ['shared/api', 'zod/mini'],
  'shared/domain': ['shared/api', 'shared/config'],
  'shared/ports': ['shared/api', 'shared/domain', 'zod/mini'],
  'shared/state': ['shared/api', 'shared/config', 'shared/domain', 'shared/ports'],
  'shared/apiserver': [
    'shared/api',
    'shared/config',
    'shared/domain',
    'shared/ports',
    'shared/state',
    'jose',
    'yaml',
    'node:',
  ],
  'shared/adapters': [
    'shared/api',
    'shared/config',
    'shared/domain',
    'shared/ports',
    '@aws-sdk/',
    '@smithy/',
    'node:',
  ],
  'shared/lambda': [
    'shared/api',
    'shared/config',
    'shared/ports',
    'shared/apiserver/http.ts',
    'zod/mini',
    '@middy/core',
    '@aws-lambda-powertools/',
    'node:',
  ],
  'lambdas/controllers.ts': ['lambdas/controller.ts', 'lambdas/*/controller.ts'],
  'lambdas/change-router': [
    'shared',
    'lambdas/controller.ts',
    'lambdas/controllers.ts',
    'lambdas/step.ts',
    'zod/mini',
    'node:',
  ],
  'lambdas/drain': ['shared', 'lambdas/controller.ts', 'lambdas/step.ts', 'croner', 'zod/mini', 'node:'],
  lambdas: [
    'shared',
    'lambdas/controller.ts',
    'lambdas/owner-routing.ts',
    'lambdas/step.ts',
    'lambdas/workload-deps.ts',
    'zod/mini',
    'node:',
  ],
  bundling: ['esbuild', 'node:'],
  cdk: [
    'bundling',
    'lambdas/controllers.ts',
    'lambdas/*/controller.ts',
    'lambdas/*/env.ts',
    'lambdas/*/metrics.ts',
    'lambdas/change-router/schedule.ts',
    'shared/config',
    'shared/adapters/dynamodb/schema.ts',
    'shared/adapters/webhook/sink-name.ts',
    '@aws-sdk/',
    'aws-cdk-lib',
    'cdk-nag',
    'constructs',
    'esbuild',
    'node:',
  ],
  local: [
    'shared',
    'lambdas/controller.ts',
    'lambdas/controllers.ts',
    'lambdas/change-router/{change,metrics,resync,route-changes,schedule}.ts',
    'lambdas/node-monitor/{message,metrics,queue,reconcile,report,ticks}.ts',
    'lambdas/taint-eviction/{message,queue}.ts',
    'dashboard/wire',
    '@peculiar/x509',
    'reflect-metadata',
    'ws',
    'yaml',
    'node:',
  ],
  'agent/domain': ['shared/api', 'shared/domain'],
  'agent/ports': ['shared/api', 'agent/domain', 'node:stream'],
  agent: ['shared/api', 'shared/client', 'shared/domain', '@grpc/grpc-js', 'ws', 'yaml', 'node:'],
  'dashboard/wire': ['shared/api', 'shared/domain/node-actions', 'shared/domain/roll-call'],
  dashboard: ['shared/api', 'shared/config', 'shared/domain/history', 'shared/domain/roll-call', 'lit'],
  cli: ['agent', 'shared', 'local', 'bundling/{commit,small-heap}.ts', '@aws-sdk/', 'node:'],
  monitoring: ['lambdas/controllers.ts', 'yaml', 'node:'],
  release: ['yaml', 'node:'],
};

const ROOMS = Object.keys(MAY_IMPORT);
const files = globSync('{agent,shared,lambdas,local,bundling,cdk,cli,dashboard,monitoring,release}/**/*.ts');

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
    const servers = ['local/serving/secure-server.ts', 'agent/server/node-server.ts'];
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
    const isOwn = (path: string): boolean => /^(agent\/server|local)\//.test(path);
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
      'shared/state/a.ts': "import { b } from './b.ts';",
      'shared/state/b.ts': "import type {\n  C,\n} from '../ports/c.ts';",
      'shared/ports/c.ts': "import type { A } from '../state/a.ts';",
      'shared/ports/d.ts': "import { c } from './c.ts';\nimport 'node:fs';",
      'shared/ports/e.ts': "export const e = () => import('./e.ts');",
    };
    const planted = new Map(Object.entries(texts).map(([path, text]) => [path, importsOf(path, text)]));
    expect(cyclesOf(planted).map((cycle) => cycle.toSorted())).toEqual([
      ['shared/ports/c.ts', 'shared/state/a.ts', 'shared/state/b.ts'],
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
    expect(linesWith('agent/domain', ambient)).toEqual([]);
    expect(linesWith('shared/domain', ambient)).toEqual([]);
    expect(linesWith('shared/api', ambient)).toEqual([]);
    expect(linesWith('shared/state', ambient)).toEqual([]);
  });

  it('reads the environment in one place of the runtime', () => {
    expect(linesWith('lambdas', /process\.env/)).toEqual([]);
    expect(linesWith('shared', /process\.env/, ['shared/lambda/parse-env.ts'])).toEqual([]);
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
