/** How Kubernetes calls operating systems and processors. Source: Go `GOOS`, `GOARCH`; cadvisor `getOperatingSystem`. */

const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: 'amd64',
  ia32: '386',
  // The runtime exists for little-endian POWER and MIPS only.
  ppc64: 'ppc64le',
  mipsel: 'mipsle',
};

/** What JavaScript's runtime calls the system, such as `win32`, as a Node's `operatingSystem`. */
export const goSystem = (platform: string): string => SYSTEMS[platform] ?? platform;

/** What JavaScript's runtime calls the processor, such as `x64`, as a Node's `architecture`. */
export const goArchitecture = (arch: string): string => ARCHITECTURES[arch] ?? arch;

/** The system's name for people in `/etc/os-release`: its `PRETTY_NAME`, else `Linux`. */
export const osImageIn = (osRelease: string): string => {
  const [, name] = /PRETTY_NAME=(.*)/.exec(osRelease) ?? [];
  return name === undefined ? 'Linux' : name.replace(/^"+|"+$/g, '');
};
