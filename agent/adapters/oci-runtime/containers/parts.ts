/** What the functions of the runtime share. */
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { Lane } from '../../../lane.ts';
import type { Trash } from '../../../ports/machine/trash.ts';
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { SeccompSettings } from '../../../rules/cri/security-context.ts';
import type { LogBounds } from '../../../rules/logs/log-bounds.ts';
import type { AgentFacts } from '../../../rules/oci/config.ts';
import type { SteadyMs } from '../../../rules/stats/summary.ts';
import type { EndWatch } from '../../containers/end-watch.ts';
import type { Places } from '../../containers/places.ts';
import type { ControlGroups } from '../../linux/groups/control-groups.ts';
import type { RuntimePlace } from '../bundles/runtime-calls.ts';
import type { RunningContainers } from './running.ts';
import type { Turns } from './turns.ts';

/** The programs that create and keep containers, as the trial has found them. */
export interface Programs {
  readonly runtime: RuntimePlace;
  /** Absolute path of conmon. */
  readonly conmon: string;
  readonly hasOverlays: boolean;
  /** Absolute path of the program that carries the input of a client; absent: no client may send any. */
  readonly perl?: string;
  /** Absolute paths of the programs that make a terminal and change its size; absent: there are no terminals for commands. */
  readonly terminal?: { readonly script: string; readonly stty: string };
}

/** One for each runtime. */
export interface OciParts {
  readonly ends: EndWatch;
  /** Containers that have ended do not change any more, by id. */
  readonly ended: Map<string, RuntimeContainer>;
  readonly logs: LogBounds;
  readonly programs: Programs;
  readonly places: Places;
  readonly groups: ControlGroups;
  readonly trash: Trash;
  readonly bootId: string;
  readonly agent: AgentFacts;
  readonly seccomp: SeccompSettings;
  readonly hostImagePaths: readonly string[];
  readonly imageFolders: readonly string[];
  readonly privateFolders: readonly string[];
  readonly now: () => EpochMs;
  readonly uptime: () => SteadyMs;
  /** Containers whose attempts this agent is making, by id. */
  readonly starting: Set<string>;
  /** Calls that start a container, by its id. */
  readonly starts: Map<string, Promise<void>>;
  /** Containers whose program this agent has started, by id: the runtime need not be asked. */
  readonly ran: Set<string>;
  readonly running: RunningContainers;
  /** Of looks at containers that are not known. */
  readonly looks: Lane;
  /** Containers whose leftovers are known to be gone, by id. */
  readonly reaped: Set<string>;
  /** Of what ends containers and takes leftovers away. */
  readonly turns: Turns;
  /** When a keeper was first seen without a program, by id. */
  readonly alone: Map<string, SteadyMs>;
}
