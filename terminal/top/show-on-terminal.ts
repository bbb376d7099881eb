/** `rollcall top` on a terminal: follows the fleet, draws it, heeds keys. */

import type { DashboardApi } from '../../dashboard/server/live/api.ts';
import { createForecasts, type Forecasts } from '../../dashboard/server/live/forecasts.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import type { Terminal } from '../roll-call/roll-call-screen.ts';
import { createDrawer } from '../roll-call/screen-drawer.ts';
import { type Line, lineOf } from '../roll-call/styled.ts';
import { createFleetPicture, type FleetPicture } from './fleet-picture.ts';
import { lateNodes, withForecasts } from './forecast.ts';
import { afterKey, type Choices, FIRST_SCREEN, isQuit, keysIn, type Screen } from './keys.ts';
import { mergedWork } from './merged.ts';
import { nodePageLines } from './node-lines.ts';
import { filtered, pageLines, type Sight } from './pages.ts';
import { openTerminal } from './terminal.ts';
import { MERGE_MS, type TopDeps } from './top-deps.ts';
import { type Following, watchFleet } from './watch-fleet.ts';

/** What a terminal needs besides. */
export interface ShowDeps extends TopDeps {
  readonly hasColours: boolean;
  /** Makes lines of the answer of `explain`. */
  readonly explained: (body: string) => readonly string[];
}

/** Milliseconds after which ages and countdowns are drawn anew. */
const CLOCK_MS = 1_000;
/** What Ctrl-Z sends. */
const CTRL_Z = '\u001a';
/** Rows beside the page of a node: the head and the keys. */
const AROUND = 2;

interface ExplanationsDeps {
  readonly api: Pick<DashboardApi, 'get'>;
  readonly explained: (body: string) => readonly string[];
  readonly onChange: () => void;
}

/**
 * The explanation of the node that is open: asked for when the node is opened, and again when its object changes. One request
 * for each state of a node that somebody looks at, and none for others: an explanation reads several items.
 */
const createExplanations = ({ api, explained, onChange }: ExplanationsDeps) => {
  let asked = '';
  let lines: readonly string[] = [];

  const ask = async (key: string, name: string): Promise<void> => {
    let answer: readonly string[];
    try {
      const { status, text } = await api.get(`/api/v1/nodes/${encodeURIComponent(name)}/explain`);
      answer = status === 200 ? explained(text) : [`the API answered ${status}`];
    } catch (error) {
      answer = [`the API does not answer: ${error instanceof Error ? error.message : String(error)}`];
    }
    if (asked !== key) return;
    lines = answer;
    onChange();
  };

  return {
    of: ({ metadata }: Node): readonly string[] => {
      const key = `${metadata.uid} ${metadata.resourceVersion}`;
      if (key !== asked) {
        if (!asked.startsWith(`${metadata.uid} `)) lines = ['asking'];
        asked = key;
        void ask(key, metadata.name);
      }
      return lines;
    },
  };
};

type Explanations = ReturnType<typeof createExplanations>;

interface Sources {
  readonly picture: FleetPicture;
  readonly following: Following;
  readonly explanations: Explanations;
  readonly forecasts: Forecasts;
}

const openLines = (
  { picture, explanations }: Sources,
  { page }: Screen,
  view: RollCall,
  columns: number,
): readonly Line[] => {
  if (page.at !== 'node') return [];
  const line = view.nodes.find(({ name }) => name === page.node);
  const node = picture.node(page.node);
  if (!line || !node)
    return [lineOf(`there is no node ${page.node} any more; Esc: the other nodes of its zone`)];
  const known = { node, line, pods: picture.podsAt(page.node), explanation: explanations.of(node) };
  return nodePageLines(known, picture.monitoring(), view, columns);
};

const sightOf = (
  sources: Sources,
  screen: Screen,
  { server, now }: ShowDeps,
  { columns }: Terminal,
): Sight => {
  const { picture, following, forecasts } = sources;
  const source = following.state();
  const config = picture.monitoring();
  const { isDoubtful, ...seen } = picture.read(following.asOf(), config);
  if (isDoubtful) following.readLeasesAgain();
  const isPast = source.is !== 'live';
  forecasts.look(isPast ? [] : lateNodes(seen.nodes, seen.now, config));
  const view = { ...seen, nodes: withForecasts(seen.nodes, forecasts.all()), isPast };
  return {
    view,
    server,
    source,
    config,
    clock: now(),
    node: openLines(sources, screen, view, columns),
  };
};

const choicesOf = (sight: Sight, { filter }: Screen, rows: number): Choices => {
  const { zones, nodes } = filtered(sight, filter);
  return {
    zones: zones.map(({ name }) => name),
    nodesOf: (zone) => nodes.filter((node) => node.zone === zone).map(({ name }) => name),
    lastScroll: Math.max(0, sight.node.length - rows + AROUND),
  };
};

/** Follows the fleet until a key or a signal ends that. */
export const showOnTerminal = async (deps: ShowDeps): Promise<void> => {
  const { now } = deps;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  let screen: Screen = FIRST_SCREEN;

  const draw = (): void => {
    const size = terminal.size();
    if (terminal.isFree())
      drawer.draw(pageLines(sightOf(sources, screen, deps, size), screen, size), size.rows);
  };
  const drawing = mergedWork(draw, MERGE_MS, now);
  const { api, source, close } = deps.connect(drawing.ask);
  const picture = createFleetPicture(source);
  const watching = { ...deps, api, source, signal: ended.signal };
  const following = watchFleet(picture, { ...watching, onChange: drawing.ask });
  const explanations = createExplanations({ api, explained: deps.explained, onChange: drawing.ask });
  const forecasts = createForecasts(api, now);
  const sources: Sources = { picture, following, explanations, forecasts };

  const heed = (key: string): void => {
    const size = terminal.size();
    if (isQuit(key, screen)) end();
    else if (key === CTRL_Z) terminal.suspend();
    else screen = afterKey(screen, key, choicesOf(sightOf(sources, screen, deps, size), screen, size.rows));
    drawing.ask();
  };
  const terminal = openTerminal({
    onKeys: (text) => keysIn(text).forEach(heed),
    onChange: () => {
      drawer.forget();
      drawing.ask();
    },
    onEnd: end,
  });
  const drawer = createDrawer(terminal.write, deps.hasColours);

  const clock = setInterval(drawing.ask, CLOCK_MS);
  drawing.ask();
  await new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()));
  clearInterval(clock);
  drawing.stop();
  terminal.close();
  close();
};
