import { RARE_GARBAGE_COLLECTION } from '../../environment.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { servingCertificate, USER_NAMES } from '../credentials.ts';
import { answersOk } from '../readiness.ts';
import type { StackFiles } from '../stack-files.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** Who did what to which object, for every write. Left out: the simulated kubelets' heartbeats, which are most of them. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: [USER_NAMES.kwok] },
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** A real kube-apiserver, with RBAC, for users with tokens. Makes its own serving certificate. */
export function kubeApiServer({ options, files, ports, tokens, binary }: StackContext): ProcessSpec {
  const port = ports['kube-apiserver'];
  return {
    name: 'kube-apiserver',
    command: binary('kube-apiserver'),
    env: RARE_GARBAGE_COLLECTION,
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${files.certificates}`,
      `--token-auth-file=${files.tokens}`,
      '--authorization-mode=RBAC',
      '--endpoint-reconciler-type=none',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${files.serviceAccountKey}`,
      `--service-account-key-file=${files.serviceAccountPublicKey}`,
      '--allow-privileged',
      '--profiling=false',
      ...(options.auditLog ? auditArguments(files) : []),
    ],
    isReady: async () => {
      const certificate = servingCertificate(files);
      if (!existsSync(certificate)) return false;
      const ca = readFileSync(certificate, 'utf8');
      // It says ready a moment before it has made its own namespaces.
      for (const path of ['readyz', 'api/v1/namespaces/kube-system', 'api/v1/namespaces/default']) {
        if (!(await answersOk({ url: `https://127.0.0.1:${port}/${path}`, token: tokens.admin, ca }))) return false;
      }
      return true;
    },
  };
}

function auditArguments(files: StackFiles): string[] {
  writeFileSync(files.auditPolicy, stringify(AUDIT_POLICY));
  return [
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.auditLog}`,
    '--audit-log-maxsize=200', // MB
    '--audit-log-maxbackup=2',
  ];
}
