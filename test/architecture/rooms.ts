/**
 * The rooms of the project, in the order in which a reader can learn them: from what imports nothing to what imports most. The
 * tables of rooms in the documentation are generated from this list, and the architecture tests hold the imports to it.
 */

/** One room: a folder, all folders that a `*` stands for, or one file. A file belongs to the narrowest room that holds it. */
export interface Room {
  /** Its path from the top of the project. `*` is the name of any folder. */
  readonly path: string;
  /** What it holds, in one line of Markdown without a full stop. */
  readonly purpose: string;
  /**
   * What its files may import besides its own files: rooms, folders and files of the project, or packages. `{a,b}` lists names,
   * `*` is any name, an entry that ends in `/` or `:` is a prefix, such as `node:` for all modules of Node.
   */
  readonly mayImport: readonly string[];
  /** The scripts of package.json that a change in the room must run, besides `ALWAYS`. */
  readonly checks: readonly string[];
}

/** The scripts that every change must run. */
export const ALWAYS: readonly string[] = [
  'test:format',
  'test:lint',
  'test:types',
  'test:unused',
  'test:architecture',
];

/** What a function may import of `shared`: of the functions only `apiserver` and `heartbeat` answer requests of the API. */
const PLANE_ROOMS = 'shared/{adapters,kinds,kube,ports,rules,settings,store}';

const RULES = ['test:unit', 'test:property'];
const PLANE = [...RULES, 'test:contract', 'test:host-budgets'];
const API = [...RULES, 'test:conformance', 'test:host'];
const FUNCTION = [...RULES, 'test:controllers', 'test:infrastructure', 'test:host-budgets'];
const AGENT = [...RULES, 'test:agent-tables'];

export const ROOMS: readonly Room[] = [
  {
    path: 'shared/kube',
    purpose: "Kubernetes' vocabulary: types, `Status` errors, patches, selectors, schema, defaults. Pure",
    mayImport: [],
    checks: [...RULES, 'test:conformance'],
  },
  {
    path: 'shared/client',
    purpose: 'the one HTTP client of the API: connections, streamed answers, JSON calls',
    mayImport: ['shared/kube', 'node:'],
    checks: ['test:unit', 'test:host', 'test:agent'],
  },
  {
    path: 'bundling',
    purpose: 'esbuild options of all bundles, the command that `npm pack` packs, executables',
    mayImport: ['esbuild', 'node:'],
    checks: ['test:unit', 'test:infrastructure', 'test:package'],
  },
  {
    path: 'release',
    purpose: '`npm run release`: reads `.changes`, writes the CHANGELOG, makes commit and tag',
    mayImport: ['yaml', 'node:'],
    checks: ['test:unit'],
  },
  {
    path: 'shared/settings',
    purpose: 'each setting once: default, unit, source; schemas of environment variables',
    mayImport: ['shared/kube', 'zod/mini'],
    checks: ['test:unit', 'test:infrastructure', 'test:host'],
  },
  {
    path: 'shared/rules',
    purpose:
      'the rules of the control plane: `(objects, now, settings) → decision`. Pure; its README is the specification',
    mayImport: ['shared/kube', 'shared/settings'],
    checks: [...RULES, 'test:scheduling', 'test:timelines'],
  },
  {
    path: 'shared/ports',
    purpose: 'what the control plane may ask of the outside: interfaces whose docstrings are the contract',
    mayImport: ['shared/kube', 'shared/rules', 'zod/mini'],
    checks: PLANE,
  },
  {
    path: 'shared/store',
    purpose: 'consistency, written once over the ports: commit protocol, revisions, log, exact lists, claims',
    mayImport: ['shared/{kube,ports,rules,settings}'],
    checks: PLANE,
  },
  {
    path: 'shared/adapters',
    purpose:
      'the ports on DynamoDB, SQS, EventBridge, EC2, Secrets Manager, SQLite, memory and webhooks; `hostile` breaks the other adapters on purpose',
    mayImport: ['shared/{kube,ports,rules,settings}', '@aws-sdk/', 'node:'],
    checks: PLANE,
  },
  {
    path: 'shared/kinds',
    purpose:
      'what an object of a kind is, and whether it may be stored: validation, admission, columns, strategy',
    mayImport: ['shared/{kube,ports,rules,settings,store}'],
    checks: API,
  },
  {
    path: 'shared/apiserver',
    purpose: 'the request path: authentication, authorization, routing, verbs, watches, discovery',
    mayImport: ['shared/{kinds,kube,ports,rules,settings,store}', 'jose', 'yaml', 'node:'],
    checks: [...API, 'test:clients'],
  },
  {
    path: 'agent/rules',
    purpose:
      'the rules of the node agent: what it registers, reports, admits, evicts and ends. Pure; held to tables recorded from a kubelet',
    mayImport: ['shared/{kinds,kube,rules}'],
    checks: AGENT,
  },
  {
    path: 'agent/ports',
    purpose: 'what the agent may ask of its machine, its container runtime and the API',
    mayImport: ['agent/rules', 'shared/kube', 'node:stream'],
    checks: AGENT,
  },
  {
    path: 'agent',
    purpose: 'the node agent: one machine as a node; its loops, its server, its adapters',
    mayImport: ['shared/{client,kube,rules}', '@grpc/grpc-js', 'ws', 'yaml', 'node:'],
    checks: [...AGENT, 'test:agent', 'test:hostile'],
  },
  {
    path: 'lambdas/contract',
    purpose: 'what a controller is, and a change as controllers see it',
    mayImport: ['shared/{kube,ports,rules,settings,store}', 'shared/adapters/dynamodb/access.ts'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/owners',
    purpose: 'the children of owners such as ReplicaSets and Jobs: which changes matter, creation, deletion',
    mayImport: ['shared/{kinds,kube,ports,rules,store}'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/runtime',
    purpose: 'the runtime shell of the functions: one composition of middleware per trigger',
    mayImport: [
      'shared/{kube,ports}',
      'shared/adapters/system/message-chain.ts',
      'shared/apiserver/contract/http.ts',
      'zod/mini',
      '@middy/core',
      '@aws-lambda-powertools/',
      'node:',
    ],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/*',
    purpose:
      'one controller, or a function of its own: `reconcile.ts` reads, decides and writes, `controller.ts` lists it; a function has `handler.ts`',
    mayImport: [PLANE_ROOMS, 'lambdas/{contract,owners,runtime}', 'zod/mini', 'node:'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/apiserver',
    purpose: 'the function that answers all requests of the API but those of heartbeats',
    mayImport: ['shared', 'lambdas/runtime', 'zod/mini'],
    checks: [...FUNCTION, 'test:conformance'],
  },
  {
    path: 'lambdas/heartbeat',
    purpose: 'the function that answers heartbeats and writes of Leases',
    mayImport: ['shared', 'lambdas/runtime', 'zod/mini'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/drain',
    purpose: 'the function that drains nodes, now or by the schedule of a maintenance window',
    mayImport: ['shared/{kinds,kube,ports,rules,store}', 'lambdas/contract', 'croner', 'zod/mini'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/controllers.ts',
    purpose: 'the only list of controllers; host, simulation, change router and stack iterate over it',
    mayImport: ['lambdas/contract/controller.ts', 'lambdas/*/controller.ts'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/groups.ts',
    purpose: 'which controllers share a function and a queue on AWS, and what the function has',
    mayImport: ['lambdas/controllers.ts'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/running-controllers.ts',
    purpose: 'which controllers run with a value of the setting `controllers`',
    mayImport: ['lambdas/controllers.ts', 'shared/settings'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/group',
    purpose: 'the function of a group of controllers: its environment, its ports, whom a message is for',
    mayImport: ['shared/{adapters,kube,ports,settings,store}', 'lambdas/{contract,runtime}', 'zod/mini'],
    checks: FUNCTION,
  },
  {
    path: 'lambdas/change-router',
    purpose:
      'the function that sends each change of an object to the queues of the controllers that it concerns',
    mayImport: [
      'shared/{adapters,kube,ports,rules,settings,store}',
      'lambdas/controllers.ts',
      'lambdas/{contract,runtime}',
      'zod/mini',
    ],
    checks: FUNCTION,
  },
  {
    path: 'shared/serving',
    purpose:
      'HTTPS on one machine, for host, gateway, relay and dashboard: connections, bodies, certificates, files, logs',
    mayImport: [
      'shared/{adapters,apiserver,kube,ports,rules,settings}',
      '@peculiar/x509',
      'reflect-metadata',
      'ws',
      'yaml',
      'node:',
    ],
    checks: [...RULES, 'test:host', 'test:clients', 'test:abuse'],
  },
  {
    path: 'cdk',
    purpose:
      'the stack: a construct for each group of controllers and other function, one for the tables, one for alarms',
    mayImport: [
      'bundling',
      'lambdas/{controllers,groups,running-controllers}.ts',
      'lambdas/*/{controller,env,metrics}.ts',
      'lambdas/change-router/schedule.ts',
      'shared/kube/values/optional.ts',
      'shared/settings',
      'shared/adapters/dynamodb/access.ts',
      'shared/adapters/dynamodb/table/schema.ts',
      'shared/adapters/dynamodb/upkeep',
      'shared/ports/process/messages.ts',
      'shared/adapters/webhook/sink-name.ts',
      '@aws-sdk/',
      'aws-cdk-lib',
      'cdk-nag',
      'constructs',
      'esbuild',
      'node:',
    ],
    checks: ['test:unit', 'test:infrastructure'],
  },
  {
    path: 'host',
    purpose:
      'the control plane as one process over SQLite: API, controllers, their queues and schedules, `/metrics`, events, traces',
    mayImport: [
      'shared',
      'lambdas/contract/controller.ts',
      'lambdas/{controllers,running-controllers}.ts',
      'lambdas/change-router/{metrics,resync,route-changes,schedule}.ts',
      'lambdas/node-monitor/{message,metrics,reconcile,report,ticks}.ts',
      'lambdas/taint-eviction/{message,queue}.ts',
      'yaml',
      'node:',
    ],
    checks: [...RULES, 'test:host', 'test:host-budgets', 'test:timelines', 'test:abuse'],
  },
  {
    path: 'gateway',
    purpose: '`rollcall proxy`: routes, the API behind them, watches that clients share',
    mayImport: ['shared', 'node:'],
    checks: [...RULES, 'test:host', 'test:clients'],
  },
  {
    path: 'monitoring',
    purpose: 'the dashboard for Grafana and the alert rules of Prometheus, and what writes them',
    mayImport: ['lambdas/controllers.ts', 'yaml', 'node:'],
    checks: ['test:unit'],
  },
  {
    path: 'relay',
    purpose: 'answers the beats of a site and sends them on as batches',
    mayImport: ['gateway', 'shared', 'node:'],
    checks: [...RULES, 'test:host'],
  },
  {
    path: 'simulation',
    purpose:
      'the controllers under a virtual clock: plans from scenarios, beats as schedules, figures, record and replay',
    mayImport: [
      'host',
      'shared',
      'lambdas/contract',
      'lambdas/controllers.ts',
      'lambdas/change-router/{change,resync,route-changes,schedule}.ts',
      'lambdas/node-monitor/{message,queue,reconcile}.ts',
      'yaml',
    ],
    checks: RULES,
  },
  {
    path: 'dashboard/wire',
    purpose: 'what the page and its server exchange: shapes, and what both compute. Pure',
    mayImport: ['shared/kube', 'shared/rules/{node-actions,roll-call}'],
    checks: ['test:unit', 'test:browser'],
  },
  {
    path: 'dashboard/page',
    purpose:
      'the page of `rollcall dashboard`: elements (Lit), the wall (canvas), the store of live data; its own `tsconfig.json` has the types of browsers',
    mayImport: ['dashboard/wire', 'shared/{kube,settings}', 'shared/rules/{history,roll-call}', 'lit'],
    checks: ['test:unit', 'test:browser'],
  },
  {
    path: 'dashboard/server',
    purpose: 'the server of `rollcall dashboard`: access, live data over the watches of the gateway, actions',
    mayImport: ['dashboard/wire', 'gateway', 'shared', 'simulation', 'node:'],
    checks: ['test:unit', 'test:browser', 'test:host'],
  },
  {
    path: 'terminal',
    purpose: 'the live tables in a terminal, and the log of what changes in them',
    mayImport: ['dashboard/server', 'gateway', 'shared', 'node:'],
    checks: ['test:unit', 'test:host'],
  },
  {
    path: 'cli',
    purpose: 'the `rollcall` command',
    mayImport: [
      'agent',
      'bundling/{commit,heap}.ts',
      'dashboard/server',
      'gateway',
      'host',
      'lambdas/running-controllers.ts',
      'relay',
      'shared',
      'simulation',
      'terminal',
      '@aws-sdk/',
      'node:',
    ],
    checks: ['test:unit', 'test:host', 'test:package'],
  },
];

const escaped = (text: string): string => text.replaceAll(/[.+?^$()|[\]\\/]/g, '\\$&');

const depthOf = ({ path }: Room): number => path.split('/').length + (path.includes('*') ? 0 : 0.5);
const NARROWEST_FIRST = ROOMS.toSorted((one, other) => depthOf(other) - depthOf(one)).map((room) => ({
  room,
  pattern: new RegExp(`^${room.path.split('*').map(escaped).join('[^/.]+')}(?=/|$)`),
}));

/** A room, and the folder or file of it that holds a certain file: for `lambdas/*` the folder of one function. */
export interface Place {
  readonly room: Room;
  readonly folder: string;
}

/** The narrowest room that holds the file; `undefined` for files outside of all rooms, such as tests. */
export const placeOf = (file: string): Place | undefined => {
  for (const { room, pattern } of NARROWEST_FIRST) {
    const folder = pattern.exec(file)?.[0];
    if (folder !== undefined) return { room, folder };
  }
  return undefined;
};

/** The room of a file; see `placeOf`. */
export const roomOf = (file: string): Room | undefined => placeOf(file)?.room;

/** True if the entry of `mayImport` stands for the target: a file of the project or the name of a package. */
export const isEntryFor = (entry: string, target: string): boolean => {
  const pattern = entry
    .split('*')
    .map(escaped)
    .join('[^/]+')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`);
  return new RegExp(`^${pattern}(/|$)`).test(target) || (/[:/]$/.test(entry) && target.startsWith(entry));
};
