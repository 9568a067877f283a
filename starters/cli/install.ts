import type { GlobalOptions } from './main.ts';

/** `millwright install`. */
export async function runInstall(global: GlobalOptions, { takeOver }: { takeOver?: boolean }): Promise<void> {
  const [{ createKubeClient }, { loadKubeConfig }, { installInto }, { Connection }, { registerSearchAttributes }] =
    await Promise.all([
      import('../../k8s/client.ts'),
      import('../../k8s/kube-config.ts'),
      import('../../k8s/install/install.ts'),
      import('@temporalio/client'),
      import('../search-attributes.ts'),
    ]);
  const log = (line: string): void => console.log(line);
  await installInto(createKubeClient(loadKubeConfig(global)), { log, ...(takeOver === true ? { takeOver } : {}) });
  const connection = await Connection.connect({ address: global.temporalAddress });
  try {
    await registerSearchAttributes(connection, global.temporalNamespace);
    log(`search attributes are registered in the Temporal namespace ${global.temporalNamespace}`);
  } finally {
    await connection.close();
  }
}

/** `millwright resume`. */
export async function runResume(global: GlobalOptions): Promise<void> {
  const [{ createKubeClient }, { loadKubeConfig }, { resumeMachines }] = await Promise.all([
    import('../../k8s/client.ts'),
    import('../../k8s/kube-config.ts'),
    import('../../k8s/install/resume.ts'),
  ]);
  await resumeMachines(createKubeClient(loadKubeConfig(global)), { log: (line) => console.log(line) });
}
