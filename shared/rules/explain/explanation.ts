/** What an explanation consists of: data without sentences. Instants are ms by our clock. */
import type { EpochMs } from '../../kube/values/time.ts';

/** What an answer is about. */
export type Question =
  | 'hold'
  | 'health'
  | 'taint'
  | 'placing'
  | 'service'
  | 'zone'
  | 'scheduling'
  | 'eviction'
  | 'budget'
  | 'drain'
  | 'shutdown'
  | 'maintenance'
  | 'topology'
  | 'volumes'
  | 'detach'
  | 'cloud'
  | 'deletion';

/** How things stand, or how they will. */
export type Verdict =
  | 'Ready'
  | 'NotReady'
  | 'Unknown'
  | 'NeverReported'
  | 'NotTainted'
  | 'Tainted'
  | 'WaitsForTaint'
  | 'HeldByZone'
  | 'HeldByPartition'
  | 'TakesPods'
  | 'TakesNoPods'
  | 'InService'
  | 'OutOfService'
  | 'SeemsAlive'
  | 'Initial'
  | 'Normal'
  | 'PartialDisruption'
  | 'FullDisruption'
  | 'NodeTainted'
  | 'Bound'
  | 'Gated'
  | 'OtherScheduler'
  | 'NotTried'
  | 'Unschedulable'
  | 'Ended'
  | 'NotBound'
  | 'NotEvicted'
  | 'Tolerates'
  | 'TolerationRuns'
  | 'EvictionDue'
  | 'Evicted'
  | 'NoBudget'
  | 'BudgetAllows'
  | 'BudgetBlocks'
  | 'NotDeleted'
  | 'Terminating'
  | 'NodeSilent'
  | 'Orphaned'
  | 'Unscheduled'
  | 'HeldByFinalizers'
  | 'Deleted'
  | 'Drained'
  | 'Draining'
  | 'DrainRequested'
  | 'DrainGaveUp'
  | 'PodsDeleted'
  | 'LeftByDrain'
  | 'DrainEvicts'
  | 'DrainDeletes'
  | 'RefusedByDrain'
  | 'VolumesAttached'
  | 'VolumesWait'
  | 'Wanted'
  | 'DetachWaits'
  | 'DetachDue'
  | 'Detaching'
  | 'Detached'
  | 'DrainInvalid'
  | 'DrainTakenBack'
  | 'NoDrain'
  | 'ShuttingDown'
  | 'ShutdownOver'
  | 'EndsWithNode'
  | 'StaysWithNode'
  | 'HeldByShutdown'
  | 'HeldByHold'
  | 'RefusedByTopology'
  | 'WaitsForPace'
  | 'AwaitsCloud'
  | 'MachineStopped'
  | 'MachineLeaves'
  | 'MaintenanceAhead'
  | 'MaintenancePlanned'
  | 'InMaintenance'
  | 'MachineRuns'
  | 'CloudSilent'
  | 'Hidden';

/** Verdicts about a node that has to be tainted, and is not yet. */
export const awaitsTaint = (verdict: Verdict): boolean =>
  ['WaitsForTaint', 'HeldByZone', 'HeldByPartition'].includes(verdict);

/** What a decision rests on. */
export type FactName =
  | 'Hold'
  | 'HoldUntil'
  | 'ReadyCondition'
  | 'LastSignOfLife'
  | 'Direct'
  | 'NotDirect'
  | 'ClockFloor'
  | 'HostWasAway'
  | 'GracePeriod'
  | 'StartupGracePeriod'
  | 'AdaptiveGracePeriod'
  | 'SurvivedSilence'
  | 'NoSurvivedSilence'
  | 'NoExecuteTaint'
  | 'SwapsTaint'
  | 'PlaceInZone'
  | 'BehindOthers'
  | 'NotCountedYet'
  | 'ZoneRate'
  | 'NextSlot'
  | 'AllZonesDown'
  | 'Cordoned'
  | 'NoScheduleTaint'
  | 'OutOfServiceTaint'
  | 'SpeaksAgainstTaint'
  | 'ZoneCount'
  | 'WaitingNodes'
  | 'UntilNormal'
  | 'UntilDisrupted'
  | 'BoundTo'
  | 'SchedulingGate'
  | 'SchedulerName'
  | 'SchedulerMessage'
  | 'Refusal'
  | 'PreemptionMessage'
  | 'NominatedNode'
  | 'NoTaints'
  | 'ToleratedTaint'
  | 'UntoleratedTaint'
  | 'ToleranceSince'
  | 'DisruptionTarget'
  | 'PodPhase'
  | 'Budget'
  | 'SeveralBudgets'
  | 'BudgetsIgnored'
  | 'DeletionBegan'
  | 'GracePeriodOfPod'
  | 'Finalizer'
  | 'NodeCannotConfirm'
  | 'NodeGone'
  | 'Quarantine'
  | 'NoNode'
  | 'VolumeAttached'
  | 'AttachmentWaits'
  | 'VolumeElsewhere'
  | 'ClaimUnbound'
  | 'Attachment'
  | 'VolumeWanted'
  | 'VolumeUnwanted'
  | 'VolumeInUse'
  | 'UnmountWait'
  | 'NodeAnswers'
  | 'NeverTaken'
  | 'VolumeGone'
  | 'DetachError'
  | 'DrainRequested'
  | 'DrainDeletesFrom'
  | 'DrainDeadline'
  | 'DrainCondition'
  | 'DrainRefusal'
  | 'Policies'
  | 'PacedNotReady'
  | 'PaceHolds'
  | 'HeldByPace'
  | 'OutOfServiceProof'
  | 'Uninitialized'
  | 'ShutdownTaint'
  | 'CloudNotice'
  | 'MachineGoes'
  | 'MaintenanceScheduled'
  | 'DrainPlanned'
  | 'LifecycleCondition'
  | 'ShutdownPhase'
  | 'ShutdownDeadline'
  | 'ShutdownPods'
  | 'TopologyPolicy'
  | 'TopologyWish'
  | 'TopologyMerged'
  | 'TopologyWanted'
  | 'TopologyElse'
  | 'MachineKnown'
  | 'MachineUnknown'
  | 'MachineVerified'
  | 'MachineNotVerified'
  | 'MachineAmbiguous'
  | 'KeepsTaint'
  | 'SiteCutOff'
  | 'OnPartition'
  | 'ZoneChange'
  | 'Hidden'
  | 'NoControllers';

/** One fact, and where it is stored. */
export interface Fact {
  readonly fact: FactName;
  readonly at?: EpochMs;
  readonly values?: Readonly<Record<string, string | number>>;
  /** A field of an object, a stored instant, a setting. */
  readonly source: string;
  /** Id of the rule that makes the fact matter, see the README of shared/rules. */
  readonly rule?: string;
}

/** An event that would make the answer another one. */
export type Change =
  /** A Hold is deleted, or its end comes. */
  | 'HoldEnds'
  /** The node is heard from. */
  | 'Heartbeat'
  /** The monitor finds that a silence which has ended was the node's own. */
  | 'SurvivedSilence'
  /** A client writes the node's conditions. */
  | 'NodeStatus'
  /** The Ready condition changes, whoever writes it. */
  | 'ReadyCondition'
  | 'ZoneState'
  /** Nodes of the zone fail or recover. */
  | 'NodesOfZone'
  /** Nodes that come before this one recover or go. */
  | 'NodesAhead'
  /** A client adds or removes taints. */
  | 'ClientTaints'
  /** The taints change, whoever writes them. */
  | 'Taints'
  | 'Tolerations'
  | 'Cordon'
  | 'NodeComesBack'
  | 'NodeDeleted'
  | 'OutOfServiceTaint'
  | 'KubeletConfirms'
  | 'ForceDeletion'
  /** A client deletes it. */
  | 'Deletion'
  /** A controller deletes it because of taints or priorities. */
  | 'Eviction'
  | 'FinalizerAdded'
  | 'FinalizersRemoved'
  | 'GatesRemoved'
  | 'ClusterChanges'
  | 'PodChanges'
  | 'BudgetStatus'
  | 'PodsGo'
  /** A client or a drain evicts it, if its budget allows. */
  | 'ApiEviction'
  /** The cloud says so of the machine. */
  | 'MachineTerminated'
  | 'MachineStopped'
  | 'MachineMissing'
  | 'CloudNotice'
  | 'CloudAnswers'
  /** The node says that its shutdown is cancelled, or tells another boot id. */
  | 'ShutdownEnds'
  /** It begins, ends or is taken back. */
  | 'Maintenance'
  | 'Unmount'
  /** Pods of the node come, go or end. */
  | 'PodsOfNode'
  | 'AttacherActs'
  | 'Policies'
  /** Other pods, or nodes, give the volume free. */
  | 'OtherPods'
  | 'OtherController';

/** What happens next, unless one of the changes comes first: at `at`, or within so many ms after it. Without `withinMs`: not before. */
export interface Next {
  readonly verdict: Verdict;
  readonly at: EpochMs;
  readonly withinMs?: number;
}

/** The answer to one question at one instant. */
export interface Answer {
  readonly question: Question;
  /** The name of what the question is about, if that is not the object itself. */
  readonly about?: string;
  readonly verdict: Verdict;
  readonly since?: EpochMs;
  readonly because: readonly Fact[];
  /** Absent: nothing happens by itself. */
  readonly next?: Next;
  readonly wouldChange: readonly Change[];
}
