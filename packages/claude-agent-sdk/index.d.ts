export * from 'turnwright/claude';
