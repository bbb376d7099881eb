/** The file `config.json` of a bundle: the fields that are used here. Source: opencontainers/runtime-spec v1.0.2 `config.md`, `config-linux.md`. */

export interface OciUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids?: readonly number[];
  readonly umask: number;
}

/** Names such as `CAP_CHOWN`. */
export interface OciCapabilities {
  readonly bounding: readonly string[];
  readonly effective: readonly string[];
  readonly permitted: readonly string[];
}

/** Of the container, or of a command in it. */
export interface OciProcess {
  readonly terminal: boolean;
  readonly user: OciUser;
  readonly args: readonly string[];
  readonly env: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly capabilities: OciCapabilities;
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj?: number;
}

export interface OciMount {
  /** Absolute, in the container. */
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface OciResources {
  readonly devices: readonly { readonly allow: boolean; readonly access: string }[];
  readonly cpu?: {
    readonly shares?: number;
    /** Microseconds. */
    readonly quota?: number;
    /** Microseconds. */
    readonly period?: number;
    readonly cpus?: string;
    readonly mems?: string;
  };
  /** Bytes; `swap` is memory and swap together. */
  readonly memory?: { readonly limit?: number; readonly swap?: number };
  readonly pids?: { readonly limit: number };
  readonly unified?: Readonly<Record<string, string>>;
}

export interface OciSyscall {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: string;
  }[];
}

export interface OciSeccomp {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly flags?: readonly string[];
  readonly syscalls?: readonly OciSyscall[];
}

interface IdMapping {
  readonly containerID: number;
  readonly hostID: number;
  readonly size: number;
}

interface OciLinux {
  readonly namespaces: readonly { readonly type: string }[];
  readonly uidMappings?: readonly IdMapping[];
  readonly gidMappings?: readonly IdMapping[];
  readonly cgroupsPath?: string;
  readonly resources?: OciResources;
  readonly seccomp?: OciSeccomp;
  readonly rootfsPropagation: string;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
}

export interface OciConfig {
  readonly ociVersion: string;
  readonly process: OciProcess;
  /** `path` is below the bundle. */
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly hostname: string;
  readonly mounts: readonly OciMount[];
  readonly linux: OciLinux;
}
