/** Guards of what functions import of the API server although they do not serve its requests. */
import { closureOf, type ImportGraph } from '../import-graph.ts';
import type { Guard } from './guard.ts';
import { API_SERVER, FUNCTIONS, productionGraph } from './source.ts';

/** Files of the room that `start` imports, directly or by way of other files: values, types, and what it loads later by `import()`. */
export const filesOfRoom = (start: string, room: string, graph: ImportGraph): readonly string[] =>
  [...closureOf(start, graph)].filter((path) => path.startsWith(room));

const find = (name: string): readonly string[] =>
  filesOfRoom(FUNCTIONS.get(name) ?? '', API_SERVER.room, productionGraph());

/** Controllers that import files of the API server by themselves. The change router loads them by its list of controllers. */
const COUNTED = ['daemon-set', 'deployment', 'drain', 'job', 'replica-set', 'stateful-set'];

const others = (): readonly string[] =>
  [...FUNCTIONS.keys()].filter((name) => ![...COUNTED, ...API_SERVER.functions].includes(name));

export const CLOSURE_GUARDS: readonly Guard[] = [
  ...COUNTED.map((name) => ({ name: `API-server files that ${name} imports`, find: () => find(name) })),
  { name: 'API-server files that other functions import', find: () => others().flatMap(find) },
];
