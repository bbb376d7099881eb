/** Where programs are looked for if nothing else is said. Source: containerd `defaultUnixEnv`. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
