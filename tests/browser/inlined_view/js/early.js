<!-- a comment of the old kind, which classic scripts still allow </script>
// So does this one: </script> <!--
var seen = { early: "</script><!-- <script>", regexp: /<\/script>[</script>]/.test("</script>>"), lookbehind: /(?<!--)x/.test("-x") };
seen.bodyYet = document.body !== null;
seen.less = 1 <!-- the rest of this line is a comment too
;
