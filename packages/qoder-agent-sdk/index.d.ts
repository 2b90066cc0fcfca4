export * from 'turnwright/qoder';
