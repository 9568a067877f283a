import { join } from 'node:path';

/** Every binary the stack runs that npm does not bring. */
export const SERVER_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
  'temporal',
] as const;

export type ServerName = (typeof SERVER_NAMES)[number];

export interface Server {
  readonly name: ServerName;
  /** What it is pinned to; the go.mod beside this file says the same. */
  readonly version: string;
  /** Arguments that make it print its version. */
  readonly versionArgs: readonly string[];
  /** Finds the version in what it prints. */
  readonly versionPattern: RegExp;
  /** Versions on PATH that will do, as `major.minor`: from, to. */
  readonly fits: readonly [from: string, to: string];
  readonly build: {
    /** Folder of the go.mod. */
    readonly folder: string;
    readonly package: string;
    /** Sets the version, where the sources do not know it. @default none */
    readonly ldflags?: string;
    /** How long the build took on 2 cores with nothing compiled before, in seconds. */
    readonly seconds: number;
  };
  /** Undefined where nobody publishes one for this platform. */
  readonly download: (platform: Platform) => Download | undefined;
}

export interface Platform {
  /** As Go calls it: linux, darwin. */
  readonly os: string;
  /** As Go calls it: amd64, arm64. */
  readonly arch: string;
}

export interface Download {
  readonly url: string;
  /** File to take out of the .tar.gz at {@link url}; absent: the url is the binary. */
  readonly member?: string;
  /** Where its SHA-256 is published; absent: nowhere in a form worth reading, the connection vouches for it. */
  readonly sha256Url?: string;
}

const KUBERNETES = '1.36.3';
const ETCD = '3.6.8';
const KWOK = '0.8.0';
const TEMPORAL_CLI = '1.5.1';

const kubernetesFolder = join(import.meta.dirname, 'kubernetes');
const temporalFolder = join(import.meta.dirname, 'temporal');

export const SERVERS: Readonly<Record<ServerName, Server>> = {
  etcd: {
    name: 'etcd',
    version: ETCD,
    versionArgs: ['--version'],
    versionPattern: /etcd Version: (\S+)/,
    fits: ['3.5', '3.99'],
    build: { folder: kubernetesFolder, package: 'go.etcd.io/etcd/server/v3', seconds: 45 },
    download: ({ os, arch }) =>
      os === 'linux'
        ? {
            url: `https://github.com/etcd-io/etcd/releases/download/v${ETCD}/etcd-v${ETCD}-linux-${arch}.tar.gz`,
            member: `etcd-v${ETCD}-linux-${arch}/etcd`,
          }
        : undefined,
  },
  'kube-apiserver': kubernetesServer('kube-apiserver', 165, ['1.36', '1.36']),
  'kube-controller-manager': kubernetesServer('kube-controller-manager', 55, ['1.36', '1.36']),
  'kube-scheduler': kubernetesServer('kube-scheduler', 5, ['1.36', '1.36']),
  kubectl: { ...kubernetesServer('kubectl', 25, ['1.28', '1.99']), versionArgs: ['version', '--client'] },
  kwok: {
    name: 'kwok',
    version: KWOK,
    versionArgs: ['--version'],
    versionPattern: /kwok version v(\S+)/,
    fits: ['0.8', '0.8'],
    build: { folder: kubernetesFolder, package: 'sigs.k8s.io/kwok/cmd/kwok', seconds: 15 },
    download: ({ os, arch }) => ({
      url: `https://github.com/kubernetes-sigs/kwok/releases/download/v${KWOK}/kwok-${os}-${arch}`,
    }),
  },
  temporal: {
    name: 'temporal',
    version: TEMPORAL_CLI,
    versionArgs: ['--version'],
    versionPattern: /temporal version (\S+)/,
    fits: ['1.5', '1.99'],
    build: {
      folder: temporalFolder,
      package: 'github.com/temporalio/cli/cmd/temporal',
      ldflags: `-X github.com/temporalio/cli/temporalcli.Version=${TEMPORAL_CLI}`,
      seconds: 125,
    },
    download: ({ os, arch }) => ({
      url: `https://temporal.download/cli/archive/v${TEMPORAL_CLI}?platform=${os}&arch=${arch}`,
      member: 'temporal',
    }),
  },
};

function kubernetesServer(
  name: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubectl',
  seconds: number,
  fits: Server['fits'],
): Server {
  return {
    name,
    version: KUBERNETES,
    versionArgs: ['--version'],
    versionPattern: /(?:Kubernetes|Client Version:) v(\S+)/,
    fits,
    build: {
      folder: kubernetesFolder,
      package: `k8s.io/kubernetes/cmd/${name}`,
      ldflags: `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES}`,
      seconds,
    },
    // The servers are published for Linux only.
    download: ({ os, arch }) => {
      if (os !== 'linux' && name !== 'kubectl') return undefined;
      const url = `https://dl.k8s.io/v${KUBERNETES}/bin/${os}/${arch}/${name}`;
      return { url, sha256Url: `${url}.sha256` };
    },
  };
}

/** The platform this runs on, in Go's words. */
export function thisPlatform(): Platform {
  return { os: process.platform, arch: process.arch === 'x64' ? 'amd64' : process.arch };
}
