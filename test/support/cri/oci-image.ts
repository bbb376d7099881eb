/** Makes images out of a busybox without libraries, as an archive in OCI's image layout. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BUSYBOX } from './needs.ts';
import { type TarEntry, tarOf } from './tar.ts';

export interface ImageToMake {
  /** With registry and tag: `rollcall.test/shell:1`. */
  readonly name: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** `NAME=value`. */
  readonly environment?: readonly string[];
  readonly user?: string;
  readonly workingDirectory?: string;
  /** Files beside those of busybox, by path without the first slash. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The programs that are links to busybox. */
const APPLETS = [
  'sh',
  'sleep',
  'cat',
  'echo',
  'ls',
  'id',
  'env',
  'true',
  'false',
  'kill',
  'ps',
  'hostname',
  'date',
  'mount',
  'touch',
  'head',
  'tail',
  'dd',
  'nc',
  'httpd',
  'wget',
  'ip',
  'stat',
  'tr',
  'seq',
  'yes',
  'grep',
];

const FILES = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1000::/:/bin/sh\n',
  'etc/group': 'root:x:0:\nworker:x:1000:\n',
};

const layerOf = ({ files = {} }: ImageToMake): Buffer => {
  const folders = ['bin', 'etc', 'proc', 'sys', 'dev', 'tmp', 'root', 'run'];
  return tarOf([
    ...folders.map((path): TarEntry => ({ path: `${path}/`, ...(path === 'tmp' && { mode: 0o1777 }) })),
    { path: 'bin/busybox', content: readFileSync(BUSYBOX), mode: 0o755 },
    ...APPLETS.map((name): TarEntry => ({ path: `bin/${name}`, linkTo: 'busybox' })),
    ...Object.entries({ ...FILES, ...files }).map(
      ([path, text]): TarEntry => ({ path, content: Buffer.from(text) }),
    ),
  ]);
};

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' };

const configOf = (image: ImageToMake, layer: Buffer) => ({
  architecture: ARCHITECTURES[process.arch] ?? process.arch,
  os: 'linux',
  config: {
    Env: ['PATH=/bin', ...(image.environment ?? [])],
    ...(image.entrypoint && { Entrypoint: image.entrypoint }),
    ...(image.command && { Cmd: image.command }),
    ...(image.user !== undefined && { User: image.user }),
    ...(image.workingDirectory !== undefined && { WorkingDir: image.workingDirectory }),
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${digestOf(layer)}`] },
});

const OCI = 'application/vnd.oci.image';

/** The parts of an image as a registry would serve them; `content` by digest without `sha256:`. */
export interface MadeImage {
  readonly manifest: Buffer;
  readonly content: ReadonlyMap<string, Buffer>;
}

export const imageParts = (image: ImageToMake): MadeImage => {
  const layer = layerOf(image);
  const config = Buffer.from(JSON.stringify(configOf(image, layer)));
  const descriptor = (mediaType: string, content: Buffer) => ({
    mediaType,
    digest: `sha256:${digestOf(content)}`,
    size: content.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: descriptor(`${OCI}.config.v1+json`, config),
      layers: [descriptor(`${OCI}.layer.v1.tar`, layer)],
    }),
  );
  return { manifest, content: new Map([layer, config, manifest].map((one) => [digestOf(one), one])) };
};

/** An archive that `ctr images import` reads. */
export const imageArchive = (image: ImageToMake): Buffer => {
  const { manifest, content } = imageParts(image);
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        mediaType: `${OCI}.manifest.v1+json`,
        digest: `sha256:${digestOf(manifest)}`,
        size: manifest.length,
        annotations: { 'io.containerd.image.name': image.name },
      },
    ],
  };
  return tarOf([
    { path: 'oci-layout', content: Buffer.from('{"imageLayoutVersion":"1.0.0"}') },
    { path: 'index.json', content: Buffer.from(JSON.stringify(index)) },
    { path: 'blobs/' },
    { path: 'blobs/sha256/' },
    ...[...content].map(([digest, one]): TarEntry => ({ path: `blobs/sha256/${digest}`, content: one })),
  ]);
};
