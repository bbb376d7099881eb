/** Messages about images. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import {
  bool,
  integer,
  type Message,
  message,
  messages,
  NumberValue,
  text,
  textMap,
  texts,
} from '../wire/describe.ts';
import { ImageSpec } from './linux.ts';
import { PodSandboxConfig } from './sandboxes.ts';

export const Image = {
  id: text(1),
  repoTags: texts(2),
  repoDigests: texts(3),
  /** Bytes. */
  size: integer(4),
  uid: message(5, NumberValue),
  username: text(6),
  spec: message(7, ImageSpec),
  pinned: bool(8),
};
export type Image = Message<typeof Image>;

export const ListImagesRequest = { filter: message(1, { image: message(1, ImageSpec) }) };
export const ListImagesResponse = { images: messages(1, Image) };

export const ImageStatusRequest = { image: message(1, ImageSpec), verbose: bool(2) };
/** No image: it is not there. */
export const ImageStatusResponse = { image: message(1, Image), info: textMap(2) };

export const PullImageRequest = {
  image: message(1, ImageSpec),
  auth: message(2, {
    username: text(1),
    password: text(2),
    auth: text(3),
    serverAddress: text(4),
    identityToken: text(5),
    registryToken: text(6),
  }),
  sandboxConfig: message(3, PodSandboxConfig),
};
export const PullImageResponse = { imageRef: text(1) };

export const RemoveImageRequest = { image: message(1, ImageSpec) };

/** `timestamp` in nanoseconds since 1970. */
export const FilesystemUsage = {
  timestamp: integer(1),
  fsId: message(2, { mountpoint: text(1) }),
  usedBytes: message(3, NumberValue),
  inodesUsed: message(4, NumberValue),
};

export const ImageFsInfoResponse = {
  imageFilesystems: messages(1, FilesystemUsage),
  containerFilesystems: messages(2, FilesystemUsage),
};
