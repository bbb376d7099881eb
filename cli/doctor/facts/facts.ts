/** What `rollcall doctor` knows before it judges. A part that does not apply is absent. Instants are ms by the clock of this machine. */
import type { Trial } from '../../../agent/adapters/oci-runtime/trial.ts';
import type { Finding } from '../../../shared/adapters/dynamodb/upkeep/compare.ts';

/** This program and this machine. */
export interface ProgramFacts {
  /** As in `process.versions.node`. */
  readonly node: string;
  readonly version: string;
  /** `v1.34.4`; absent: kubectl is not installed, or did not answer. */
  readonly kubectl?: string;
  /** Names of the variables of proxies that are set, without their values. */
  readonly proxies: readonly string[];
  /** The text of NO_PROXY. */
  readonly noProxy: string;
  /** By how many ms the wall clock and the monotonic clock have gone apart while the facts were gathered. */
  readonly clockStepMs: number;
  readonly now: number;
}

/** A file that somebody else should not read. */
export interface SecretFile {
  readonly path: string;
  /** The permission bits. */
  readonly mode: number;
}

export interface CertificateFacts {
  /** What it is for: `server.crt`. */
  readonly name: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** Absent: it is not for a server. */
  readonly host?: { readonly name: string; readonly isNamed: boolean; readonly isSigned: boolean };
}

/** A folder of `rollcall serve`. */
export interface FolderFacts {
  readonly path: string;
  readonly state: 'missing' | 'writable' | 'unwritable' | 'read-only' | 'no folder';
  /** Of its file system. */
  readonly freeBytes: number;
  readonly freeInodes: number;
  readonly secrets: readonly SecretFile[];
  readonly certificates: readonly CertificateFacts[];
  /** Names of files that are not what they should be. */
  readonly damaged: readonly string[];
  /** The host that runs, or ran last; absent: none did. */
  readonly host?: {
    readonly isRunning: boolean;
    readonly port: number;
    /** Who listens on its port: absent nobody; empty: it cannot be seen. */
    readonly listener?: string;
  };
}

/** How far a request came. */
export interface ServerFacts {
  readonly url: string;
  /** Absent: the name is known, or is an address. */
  readonly dnsError?: string;
  /** Code of the error of Node or of TLS; absent: it answered. */
  readonly error?: string;
  /** Of `/readyz`. */
  readonly status?: number;
  /** `gitVersion`. */
  readonly version?: string;
  /** Its clock less ours, in ms; known to half a second and half of the time of the request. */
  readonly offsetMs?: number;
  readonly access?: AccessFacts;
  /** Versions of the agents of its nodes, with how many have each. */
  readonly agents?: Readonly<Record<string, number>>;
  /** How many Nodes there are; absent: nobody needs to know, or they could not all be counted in time. */
  readonly nodes?: number;
}

/** What the token may do. */
export interface AccessFacts {
  readonly isKnown: boolean;
  /** What is refused of what commands need: a permission, and the commands. */
  readonly refused: readonly { readonly permission: string; readonly commands: string }[];
}

/** A stack on AWS or LocalStack. */
export interface StackFacts {
  readonly stack: string;
  /** Absent: none is set. */
  readonly region?: string;
  /** Absent: the stack was read. */
  readonly error?: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Why the signing key cannot be read. */
  readonly secretError?: string;
  /** How its tables differ from what this version needs, or why that is not known; absent: it was not looked at. */
  readonly tables?: readonly Finding[] | string;
}

/** What an agent takes of its machine. */
export interface MachineFacts {
  readonly isRoot: boolean;
  /** The controllers of all trees; absent: there is none. */
  readonly cgroups?: { readonly version: 1 | 2; readonly controllers: readonly string[] };
  readonly isSwapOn: boolean;
  readonly containerd: 'absent' | 'answers' | 'refuses';
  /** Whether the program that locks the agent's root folder is there. */
  readonly hasFlock: boolean;
  /** Whether a runtime of the machine isolates containers. */
  readonly isolation: Trial;
  /** Whether both programs that this needs are there. */
  readonly hasRuntime: boolean;
  /** The text of `/etc/os-release`; empty if it is not there. */
  readonly osRelease: string;
  readonly freeBytes: number;
}

export interface Facts {
  readonly program: ProgramFacts;
  readonly folder?: FolderFacts;
  readonly kubeconfig?: SecretFile;
  readonly server?: ServerFacts;
  readonly stack?: StackFacts;
  readonly machine?: MachineFacts;
}
